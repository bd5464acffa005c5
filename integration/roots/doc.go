// Package roots tries what becomes of roots and of what they leave: restarts and their limits, addresses that stay, clean stops and others,
// and the removal of old records.
package roots
