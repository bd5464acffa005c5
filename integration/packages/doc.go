// Package packages tests packed capsules with the real programs: made by `supervisor pack`, checked by `validate`, compiled, run as
// roots and as children, and refused when they are not what they were.
package packages
