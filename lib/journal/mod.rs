//! The journal: a file of events that nobody can quietly break (SPEC section 6).
//!
//! # The format
//!
//! One entry a line, ended by LF: an event of the contract as it was read, with
//! `journalSequence` as its last field, counting 1, 2, 3 … without a hole. White lines are passed
//! over. Reading takes `journalSequence` wherever it stands in the entry; writing puts it last.
//! Everything else is damage ([`damage`]), and a damaged journal takes no more entries.
//!
//! Beside the real file (links are followed first) stand `PATH.lock`, by which writers exclude
//! each other ([`lock`]), and `PATH.state`, a cache that makes the cost of an append independent
//! of the journal's length (`state`).
//!
//! # Who does what
//!
//! ```text
//! reader::Walk  reads the file from a place, line by line
//!   → damage::Judge  says for each line: entry, or damage
//! scan::Bounds  the same for a stretch of lines, on any thread
//! entry::Batch  holds the events to store, redacted, in the order of their echo
//!   → writer::Journal::append  lock, look, number, one write, sync, state, release
//! ledger::Ledger  what is known of the file, and how that is brought up to date
//! repair::Survey  what is damaged and what mends it; the only part that takes lines out
//! disk  every system call on the file, so that tests can make any of them fail
//! ```
//!
//! Nothing here touches standard streams, or discards anything: an append that fails is undone by
//! truncating to what was there before, and only when nobody else wrote; a repair keeps aside what
//! it takes out.

mod commit;
pub mod damage;
mod disk;
mod entry;
mod error;
mod ledger;
pub mod lock;
mod path;
mod reader;
mod repair;
mod scan;
mod secrets;
mod state;
mod writer;

pub use entry::{Batch, Redaction, Rejected};
pub use error::JournalError;
pub use path::{JournalPath, open_for_reading};
pub use reader::{Judged, Leapt, Place, Walk};
pub use repair::{Remedy, RepairOptions, Repaired, Survey};
pub use scan::{Bounds, Stretch, child_hash};
pub use writer::{Committed, Journal, Options, SyncMode};

#[cfg(test)]
mod tests;
