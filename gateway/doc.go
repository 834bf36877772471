// Package gateway puts the parts of the gateway together: config, shared memory,
// accounts, ledger, log store, exchange, engine, workers, control listener.
//
// Run is the program: flags, signals, and either one serving process or a
// supervisor with several. New makes one gateway inside the caller's process, as
// tests and the lab's in-process shape do.
//
// A serving process starts in this order, each step needing those before it:
//
//  1. config and secrets (no secret leaves package config but in a snapshot)
//  2. shared memory: sums and accounts, made here or inherited from the supervisor
//  3. the log store of this worker's slot
//  4. the exchange's core, over snapshot, accounts and ledger slot
//  5. the engine on its listener; the upstream is not looked for before the first
//     request needs it
//  6. the control listener, in a process without supervisor
//
// It ends in reverse, after the engine has drained.
package gateway
