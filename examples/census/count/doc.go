// Package count counts source files: per language, the files, their lines, how many of them are code, comment or blank,
// and the longest function. It is what the capsules of the census example share; it reads no files and starts nothing.
//
// The rules:
//
//   - A line ends with a line feed; a last line without one counts. A carriage return is white space.
//   - A line of white space only is blank, wherever it stands: also inside a comment or a string.
//   - A line with anything that is no comment is code; every other line is comment. So text inside a string is code,
//     whatever it looks like, and a "#!" line is comment.
//   - A Python docstring is code: it is a string that the program can read, and only its place makes it documentation.
//   - In Markdown and in files of no known language every line that is not blank is code, but for Markdown's <!-- -->.
//   - A function's lines run from the one that starts it (in Go and Rust the keyword, elsewhere the keyword or name) to
//     the one that ends its body. Functions inside a function have lines of their own; Go's function literals and
//     functions without a body are not counted.
//
// For Go the result is exact: a test compares it with the standard library's scanner and parser. For the other languages
// the text is read by their rules for comments and strings but not parsed: what a preprocessor or a macro makes of it
// is not seen. Any input is answered, however broken.
package count
