// Package roots starts the capsules that a fleet names and says how each of them ended.
//
// It promises one result for every root it was given, in the order of the fleet file, also for one that could not be started. It does
// not restart anything: a root that has ended stays ended.
package roots
