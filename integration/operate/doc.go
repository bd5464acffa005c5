// Package operate tests what an operator does with a host: bring a fleet up, look, end, stop, and get things wrong.
package operate
