// Package host describes the machine that a run's figures belong to.
package host
