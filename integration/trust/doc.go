// Package trust tests what no capsule and no stranger may do: spend more than its budget, see a secret, speak for another session, or
// reach a socket that is not for it.
package trust
