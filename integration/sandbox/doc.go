// Package sandbox tests what a capsule cannot do: leave its folders, change what it may only read, outlive its deadline, take more
// than its bounds, or keep its door from answering. Guests try it under the real programs; what counts is what is on disk outside and
// what the records say, not what the guest was answered.
package sandbox
