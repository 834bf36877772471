// Package logstoretest is the suite that every log store passes, under every
// durability, and the parts its neighbours' tests share: rows that differ in
// every field, completions that insist on being told once, and a child process
// to be killed in the middle of its work.
package logstoretest
