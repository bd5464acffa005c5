// Package mtls makes the TLS of the operator API over TCP: both ends show a certificate, both check the other's.
//
// It promises TLS 1.3 and nothing older, that a server takes no client whose certificate is not signed by its client CA for the use of a
// client, that a client takes no server whose certificate is not signed by its CA for the name it dialed, and that files which cannot
// work (expired, of another key, a key that others can read, a CA that is none) are refused when they are read, with the file named.
//
// It does not promise revocation: whoever holds a certificate of the client CA is an operator until it expires. Certificates are read
// once; new ones need a new start.
//
// The daemon makes the server's, the command line the client's.
package mtls
