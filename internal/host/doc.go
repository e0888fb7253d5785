// Package host is what every kind of session host has in common: the socket
// and who may use it, the peers on it, the tee that carries output to viewers,
// and the record on disk (DESIGN §2, §5). What stands behind it, a terminal or
// an agent over ACP, is a package below.
package host
