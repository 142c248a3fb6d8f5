//! What repair does with each line: it stays, or it goes aside. One rule for the survey and for
//! the rewriting, so that what was announced is what is done.
//!
//! * An entry stays; if its number is not the next one, it gets it.
//! * An entry that is byte for byte the one before it is that one written twice: it goes aside.
//! * A whole last line without LF is an entry that lacks its LF.
//! * Everything else goes aside, the whole line; whole entries in it (after NULs, after a byte
//!   order mark, after a torn record) can be saved from it first.

use xxhash_rust::xxh3::xxh3_64;

use crate::event::EventView;
use crate::finding::{Code, Problem};
use crate::journal::damage::{Entry, beginnings};
use crate::journal::reader::Judged;
use crate::line::Line;

/// How many places of a line are tried for the beginning of a whole entry.
const MAX_TRIES: usize = 16;

/// What becomes of a line.
#[allow(clippy::large_enum_variant)]
pub(super) enum Sorted<'a> {
    /// It stays, with this number.
    Keep {
        event: EventView<'a>,
        number: u64,
        /// Its bytes stay as they are.
        as_is: bool,
    },
    /// It goes aside; the entries in it that can be saved, to be numbered from `first` on.
    Remove {
        saved: Vec<EventView<'a>>,
        first: u64,
    },
}

/// The lines of one journal, sorted in their order.
pub(super) struct Sorter {
    cap: usize,
    /// Whether entries are saved from lines that go aside.
    save: bool,
    /// How many entries stay, so far.
    kept: u64,
    /// The last entry's own number, and the hash of its bytes.
    last: Option<(u64, u64)>,
    /// Lines went aside since the last entry.
    hole: bool,
    /// The last problem, if the line has one.
    pub(super) problem: Option<Problem>,
}

impl Sorter {
    pub(super) fn new(cap: usize, save: bool) -> Sorter {
        Sorter {
            cap,
            save,
            kept: 0,
            last: None,
            hole: false,
            problem: None,
        }
    }

    pub(super) fn sort<'a>(&mut self, line: &Line<'a>, judged: Judged<'a>) -> Sorted<'a> {
        let entry = match judged {
            Ok(entry) => entry,
            Err(problem) => {
                let whole = self.unfinished(line, &problem);
                self.problem = Some(problem);
                match whole {
                    Some(entry) => entry,
                    None => return self.remove(line),
                }
            }
        };
        if entry.wrong_number.is_some() {
            self.problem = entry.wrong_number;
        }
        let own = (entry.sequence, xxh3_64(line.bytes));
        if self.last == Some(own) || !self.fits(&entry.event, entry.sequence) {
            return self.remove(line);
        }
        self.last = Some(own);
        self.hole = false;
        self.kept += 1;
        Sorted::Keep {
            as_is: entry.sequence == self.kept,
            event: entry.event,
            number: self.kept,
        }
    }

    /// The entry in a last line that lacks nothing but its LF.
    fn unfinished<'a>(&self, line: &Line<'a>, problem: &Problem) -> Option<Entry<'a>> {
        if problem.code != Code::TruncatedLine || line.frame.bom || line.bytes.len() > self.cap {
            return None;
        }
        let event = EventView::parse(line.bytes).ok()?;
        let sequence = event.journal_sequence()?.as_u53()?;
        let next = self.last.map_or(0, |(last, _)| last) + 1;
        let due = sequence == next || self.hole && sequence > next;
        let wrong_number = (!due).then(|| {
            let message = format!("`journalSequence` {sequence}, where {next} was due, and no LF");
            Problem::new(Code::SequenceNotNext, message)
        });
        Some(Entry {
            event,
            sequence,
            wrong_number,
        })
    }

    fn remove<'a>(&mut self, line: &Line<'a>) -> Sorted<'a> {
        let mut saved = Vec::new();
        let code = self.problem.as_ref().map(|problem| problem.code);
        if let Some(Code::NulRun | Code::Bom | Code::FusedRecords | Code::TruncatedLine) = code
            && self.save
        {
            whole_entries(line.bytes, MAX_TRIES, &mut saved);
        }
        let first = self.kept + 1;
        saved.retain(|event| self.fits(event, 0));
        self.kept += saved.len() as u64;
        self.hole = true;
        Sorted::Remove { saved, first }
    }

    /// Whether an entry is within the cap once it has its new number.
    fn fits(&self, event: &EventView<'_>, sequence: u64) -> bool {
        sequence == self.kept + 1 || renumbered(event, self.kept + 1).len() <= self.cap
    }
}

/// An entry's line, without LF, with another number.
pub(super) fn renumbered(event: &EventView<'_>, number: u64) -> String {
    let (before, after) = event.without_journal_sequence();
    let after = after.trim_end();
    let after = after.strip_suffix('}').unwrap_or(after);
    format!("{before}{after},\"journalSequence\":{number}}}")
}

/// The whole entries of a line, in their order.
fn whole_entries<'a>(line: &'a [u8], tries: usize, found: &mut Vec<EventView<'a>>) {
    let line = trimmed(line);
    if let Some(event) = numbered_event(line) {
        found.push(event);
        return;
    }
    // What is not text ends before a record begins, or there is nothing to be had.
    let text = match std::str::from_utf8(line) {
        Ok(text) => text,
        Err(error) => {
            let rest = line.get(error.valid_up_to() + 1..).unwrap_or_default();
            if tries > 1 {
                whole_entries(rest, tries - 1, found);
            }
            return;
        }
    };
    for rest in beginnings(text).take(tries) {
        if let Some(event) = numbered_event(rest.as_bytes()) {
            let before = text.get(..text.len() - rest.len()).unwrap_or_default();
            if tries > 1 {
                whole_entries(before.as_bytes(), tries - 1, found);
            }
            found.push(event);
            return;
        }
    }
}

fn numbered_event(line: &[u8]) -> Option<EventView<'_>> {
    let event = EventView::parse(line).ok()?;
    event.journal_sequence()?.as_u53()?;
    Some(event)
}

/// Without the NULs and byte order marks around it.
fn trimmed(line: &[u8]) -> &[u8] {
    let mut line = line;
    loop {
        line = match line {
            [0, rest @ ..] | [0xEF, 0xBB, 0xBF, rest @ ..] | [rest @ .., 0] => rest,
            _ => return line,
        };
    }
}
