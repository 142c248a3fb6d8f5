//! The lock beside a journal: the directory `PATH.lock` with an `owner.json` in it.
//!
//! Several programs, written by different people, append to one journal. What they agree on is a
//! directory: whoever brings `PATH.lock` into being holds the journal, and `owner.json` in it says
//! who that is: `{pid, token, createdAt, host, machineId, bootId, pidNamespace, startTime, flock}`.
//!
//! How it is taken here: a [`Locker`] keeps one *prepared* directory beside the journal
//! (`PATH.lock.PID-RANDOM`), with a complete owner.json that it holds flocked. Taking the lock is
//! one rename that refuses to replace anything, releasing it is one rename back. So there is no
//! moment at which a killed holder leaves a lock without an owner, and its flock, which ends with
//! the process, proves the death whatever pid namespace it lived in.
//!
//! A lock is taken over only with age *and* proof of death; the rules are in `judge`, what they
//! are judged by is in `evidence`. A doubt is never a proof: the error says who holds the lock,
//! why it was not taken over and what to remove by hand.
//!
//! What may be touched: `PATH.lock`, and directories named exactly `PATH.lock.PID-RANDOM`. Never
//! the journal. Lock files are not synced, since no entry depends on them: a power cut soon after a
//! process began can leave a lock whose owner.json is empty, which a person must then remove.
//!
//! # Examples
//!
//! ```
//! use lctools::journal::lock::{LockOptions, Locker, ReleaseOutcome};
//!
//! let dir = tempfile::tempdir()?;
//! let mut locker = Locker::new(&dir.path().join("events.jsonl"), LockOptions::default())?;
//! let held = locker.acquire(&|| false)?;
//! if held.still_ours()? {
//!     // … write …
//! }
//! assert_eq!(held.release()?, ReleaseOutcome::Released);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod acquire;
mod evidence;
mod held;
mod inspect;
mod judge;
mod leftovers;
mod owner;
mod place;
mod prepared;
mod reclaim;
mod seat;
mod sight;
mod wait;

#[cfg(test)]
mod tests;

use std::error::Error;
use std::fmt;
use std::io;
use std::time::Duration;

pub use acquire::Locker;
pub use held::{Held, ReleaseOutcome};
pub use inspect::{Inspection, inspect};
pub use owner::Owner;

/// How long to wait for the lock, and how old a dead owner's lock must be before it is taken over.
///
/// The defaults are the contract's (SPEC, `lcjournal`, "Lock").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LockOptions {
    /// The wait gives up when the owner has not changed for this long, and after 20 times this in
    /// all (`--lock-timeout`, 15 s). Zero: one try.
    pub timeout: Duration,
    /// Least age of a dead owner's lock when the owner left full evidence (2 s).
    pub stale_full: Duration,
    /// Least age of a dead owner's lock when the owner recorded little more than its pid
    /// (`--stale-lock`, 300 s).
    pub stale_pid_only: Duration,
}

impl Default for LockOptions {
    fn default() -> Self {
        LockOptions {
            timeout: Duration::from_secs(15),
            stale_full: Duration::from_secs(2),
            stale_pid_only: Duration::from_secs(300),
        }
    }
}

/// Why the lock could not be had.
#[derive(Debug)]
pub enum LockError {
    /// It was held for too long (exit 75).
    Timeout {
        /// Who holds it, why it was not taken over, and what to remove by hand.
        message: String,
    },
    /// The caller's `stop` said so while waiting.
    Stopped,
    /// A system call failed (exit 74).
    Io {
        /// What was being done, naming the file.
        what: String,
        /// What the system said.
        source: io::Error,
    },
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LockError::Timeout { message } => f.write_str(message),
            LockError::Stopped => f.write_str("stopped while waiting for the lock"),
            LockError::Io { what, source } => write!(f, "{what}: {source}"),
        }
    }
}

impl Error for LockError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            LockError::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// A place where tests may stop the world: called before every change of the file system and
/// between a judgement and what follows from it. Nothing at all outside tests.
#[inline]
fn step(_name: &'static str) {
    #[cfg(test)]
    tests::steps::reached(_name);
}
