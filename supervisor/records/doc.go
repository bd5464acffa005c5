// Package records reads what a state folder keeps of sessions, without the ledger: where each came from, how it ended, and its logs.
//
// It promises that reading takes no lock, writes nothing, follows no link and waits for nobody, so it works beside a supervisor, without
// one, and while old records are being removed; that every text is bounded; and that a log which is cut or replaced while it is read is
// read from its new beginning, which is said.
//
// It does not promise that the records of a session that still lives are whole, and it cannot tell one that lives without a supervisor
// from one whose supervisor died: both have no end yet.
//
// The operator service reads logs with it, the command line everything else while no supervisor runs. Package delegation writes the
// lineage.
package records
