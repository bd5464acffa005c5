// Knock asks its host for children without a pause, for ever: it gets as many as it may have, and a refusal each time after that.
package main

import murmur "rookery/sdk/go"

func main() { murmur.Main(answer) }

func answer(string) (string, error) {
	for {
		_, err := murmur.Delegate(murmur.DelegateRequest{Capsule: "sleep", Version: "0.1.0"})
		if murmur.IsCode(err, murmur.Canceled) {
			return "", err
		}
	}
}
