// Package accounts is the admission.Admitter of tollgate: virtual keys, their
// budgets and their rate limits, kept in a shared-memory region so that they
// are exact across worker processes and outlive them.
//
// A key is known by the SHA-256 of its token; the token itself is nowhere. Each
// key has one account, a row of 64-bit words. A budget's word holds what is
// committed (spent or reserved) in the current period, and the period's number
// with it: one compare-and-swap checks the limit, charges, and begins a new
// period when one has begun. So a budget is never passed, not by one
// reservation, and no death of a process in between can leave it half changed.
//
// Rate limits are GCRA (a theoretical arrival time per limit, one word): a key
// may burst to its limit at once and refills continuously. RPM counts requests
// admitted, also those that fail later. TPM takes the estimate and gives back
// or takes the difference when the request has ended; it never fills beyond its
// limit.
//
// What a worker has reserved is also kept in words of its slot. When the worker
// dies, Reconcile turns them into spend: nobody can say how much of it was used,
// so it stays charged, and is counted as forfeited.
//
// Order of stores, and why: a reservation is written to the slot first and then
// committed, a settlement corrects the commitment first and then leaves the
// slot. A process killed between the two can make the forfeited figure too
// large by that reservation; it can never free money that was spent.
package accounts
