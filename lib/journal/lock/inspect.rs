//! A look at the lock for `lcjournal lock`: nothing is written, nothing is waited for.

use std::io;
use std::path::Path;

use serde::Serialize;

use super::LockOptions;
use super::evidence::Machine;
use super::owner::Owner;
use super::place::Place;
use super::sight::Sight;

/// Who holds a journal's lock, since when, and whether it could be taken over. Serialises as one
/// JSON object: `lock`, `held`, `owner`, `ageMs`, `reclaimable`, `reason`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Inspection {
    /// The lock directory, `PATH.lock`; bytes that are not UTF-8 are replaced.
    pub lock: String,
    /// Whether anything has that name.
    pub held: bool,
    /// What the holder says of itself, if that can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<Owner>,
    /// Milliseconds since `createdAt`, or since the directory's mtime where that is unreadable or
    /// in the future.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age_ms: Option<u64>,
    /// Whether an append would take it over now.
    pub reclaimable: bool,
    /// Why, or why not.
    pub reason: String,
}

/// Looks at the lock of the journal at this path, whose links the caller has resolved.
///
/// # Errors
///
/// If the path names no file, or a system call fails.
pub fn inspect(journal_path: &Path, options: &LockOptions) -> io::Result<Inspection> {
    let place = Place::beside(journal_path)?;
    let lock = place.lock().to_string_lossy().into_owned();
    let Some(sight) = Sight::of(place.lock())? else {
        let reason = "nobody holds it".to_owned();
        let free = Inspection {
            lock,
            held: false,
            owner: None,
            age_ms: None,
            reclaimable: false,
            reason,
        };
        return Ok(free);
    };
    let verdict = sight.judge(&Machine::here(), options);
    Ok(Inspection {
        lock,
        held: true,
        owner: sight.owner().cloned(),
        age_ms: Some(u64::try_from(verdict.age.as_millis()).unwrap_or(u64::MAX)),
        reclaimable: verdict.reclaimable,
        reason: verdict.reason,
    })
}
