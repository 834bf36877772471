// Package child runs the processes that a repetition is made of.
//
// No child outlives the runner: on Linux the kernel kills it with its parent,
// and everywhere each child leads a process group of its own that Stop and
// Kill end whole. Ctrl-C at a terminal so reaches the runner alone, which
// decides what becomes of the rest.
package child
