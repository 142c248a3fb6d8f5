//! Tests of the journal as a library.

mod append;
mod damage;
mod faults;
mod property;
mod repair;
mod state;

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::damage::Damage;
use super::*;
use crate::event::{EventView, MAX_EVENT_BYTES};
use crate::finding::Code;

/// An event's line, without LF.
fn event(number: u64) -> String {
    format!(
        "{{\"schemaVersion\":1,\"eventId\":\"e{number}\",\"source\":\"s\",\"sourceEpoch\":\"x\",\
         \"childId\":\"c\",\"lineage\":{{\"rootChildId\":\"c\",\"attempt\":0,\"external\":false}},\
         \"kind\":\"activity\",\"observedAt\":\"2026-08-24T09:15:30.000Z\",\"activity\":\"a\"}}"
    )
}

/// The event as the entry of that number, with LF.
fn entry(number: u64) -> String {
    let event = event(number);
    format!(
        "{},\"journalSequence\":{number}}}\n",
        event.strip_suffix('}').unwrap()
    )
}

fn entries(numbers: impl IntoIterator<Item = u64>) -> String {
    numbers.into_iter().map(entry).collect()
}

/// A scratch folder with a place for a journal.
struct Scratch {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl Scratch {
    fn new() -> Scratch {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j.jsonl");
        Scratch {
            _folder: folder,
            path,
        }
    }

    fn with(content: impl AsRef<[u8]>) -> Scratch {
        let scratch = Scratch::new();
        fs::write(&scratch.path, content).unwrap();
        scratch
    }

    fn read(&self) -> String {
        fs::read_to_string(&self.path).unwrap_or_default()
    }

    fn state(&self) -> PathBuf {
        self.path.with_extension("jsonl.state")
    }

    fn open(&self) -> Journal {
        Journal::open(&self.path, unsynced()).unwrap()
    }

    /// Appends events of these numbers by a journal of its own, as another process would.
    fn append(&self, numbers: impl IntoIterator<Item = u64>) -> Result<u64, JournalError> {
        append(&mut self.open(), numbers)
    }
}

fn unsynced() -> Options {
    Options {
        sync: SyncMode::None,
        ..Options::default()
    }
}

fn batch(numbers: impl IntoIterator<Item = u64>) -> Batch {
    let mut batch = Batch::default();
    for number in numbers {
        let line = event(number);
        let event = EventView::parse(line.as_bytes()).unwrap();
        batch.push(&event, number, Redaction::On).unwrap();
    }
    batch
}

fn append(
    journal: &mut Journal,
    numbers: impl IntoIterator<Item = u64>,
) -> Result<u64, JournalError> {
    let committed = journal.append(&mut batch(numbers), &|| false)?;
    Ok(committed.last_sequence)
}

/// Everything wrong with a journal, and the numbers of its readable entries.
fn judge(path: &Path) -> (Vec<Damage>, Vec<u64>) {
    let mut walk = Walk::new(
        File::open(path).unwrap(),
        Place::default(),
        Options::default().max_line_bytes,
    );
    let (mut damage, mut read) = (Vec::new(), Vec::new());
    let mut each = |line: &crate::line::Line<'_>, judged: Judged<'_>| {
        let problem = match judged {
            Ok(entry) => {
                read.push(entry.sequence);
                entry.wrong_number
            }
            Err(problem) => Some(problem),
        };
        damage.extend(problem.map(|problem| Damage::at(line, problem)));
    };
    while walk.advance(&mut each).unwrap() {}
    walk.finish(&mut each);
    assert_eq!(walk.place().offset, fs::metadata(path).unwrap().len());
    (damage, read)
}

/// The damage alone: code, line, offset.
fn damage(content: impl AsRef<[u8]>) -> Vec<(Code, u64, u64)> {
    let scratch = Scratch::with(content);
    let (damage, _) = judge(&scratch.path);
    damage
        .into_iter()
        .map(|found| (found.problem.code, found.line, found.offset))
        .collect()
}
