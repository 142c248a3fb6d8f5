//! The entry as it is stored: the event's bytes as they were read, what is secret redacted, white
//! space at the end dropped, `journalSequence` put last.
//!
//! A [`Batch`] gathers events until they are stored together, and with them the lines that are
//! only echoed, so that the echo keeps the order of the input. Numbers are given under the lock,
//! so an entry waits without its last field. Nothing is allocated per line unless something is
//! redacted. Memory: twice the batch, which is full at its limit plus one line.

use std::io::Write as _;

use super::secrets::{may_hold_secrets, redacted_line};
use crate::event::{EventView, MAX_SEQUENCE};
use crate::finding::Problem;
use crate::record::oversized_event;

/// A batch is full at this many bytes.
const FULL: usize = 1 << 20;

/// Whether secrets are redacted before an event is stored (SPEC section 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redaction {
    /// In `details`, `activity` and fields outside the contract.
    On,
    /// Every byte is kept.
    Off,
}

/// Events to be stored together, and the lines echoed between them.
#[derive(Debug)]
pub struct Batch {
    /// What was pushed, one after the other; entries without their last brace.
    text: Vec<u8>,
    items: Vec<Item>,
    entries: usize,
    limit: usize,
    /// The entries as they are written, once they have numbers.
    stored: Vec<u8>,
}

#[derive(Debug)]
struct Item {
    /// Where it ends in `text`.
    end: usize,
    line: u64,
    kind: ItemKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ItemKind {
    /// To be stored; once it has its number, it ends there in `stored`.
    Entry(usize),
    /// Only echoed.
    Passed,
    /// Too long once it had its number.
    Rejected,
}

/// An event that is not stored because its line would be over the cap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// The input line it came from.
    pub line: u64,
    /// What to say.
    pub problem: Problem,
    /// The event, for an excerpt.
    pub text: Vec<u8>,
}

impl Default for Batch {
    fn default() -> Batch {
        Batch::with_limit(FULL)
    }
}

impl Batch {
    /// A batch that is full at `limit` bytes; the default is 1 MiB, and 1 means one event.
    #[must_use]
    pub fn with_limit(limit: usize) -> Batch {
        Batch {
            text: Vec::new(),
            items: Vec::new(),
            entries: 0,
            limit,
            stored: Vec::new(),
        }
    }

    /// How many events wait to be stored.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.entries
    }

    /// Whether nothing waits, neither for storing nor for its echo.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Whether it is time to store what is there.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.text.len() >= self.limit
    }

    /// Adds an event; `line` is the input line it came from.
    ///
    /// # Errors
    ///
    /// If it is no event of the contract any more once its secrets are gone; it is not added then.
    pub fn push(
        &mut self,
        event: &EventView<'_>,
        line: u64,
        redaction: Redaction,
    ) -> Result<(), Problem> {
        let redacted = match redaction {
            Redaction::On if may_hold_secrets(event) => redacted_line(event.text()),
            _ => None,
        };
        match &redacted {
            Some(text) => {
                self.push_parts(EventView::parse(text.as_bytes())?.without_journal_sequence())
            }
            None => self.push_parts(event.without_journal_sequence()),
        }
        self.entries += 1;
        self.push_item(line, ItemKind::Entry(0));
        Ok(())
    }

    /// Adds a line that is only echoed.
    pub fn pass(&mut self, line: &[u8]) {
        self.text.extend_from_slice(line);
        self.text.push(b'\n');
        self.push_item(0, ItemKind::Passed);
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.text.clear();
        self.items.clear();
        self.stored.clear();
        self.entries = 0;
    }

    /// Appends what was stored and what was passed, in the order of the input. Entries have their
    /// numbers once [`super::Journal::append`] has come back well.
    pub fn echo(&self, out: &mut Vec<u8>) {
        if self.items.len() == self.entries {
            out.extend_from_slice(&self.stored);
            return;
        }
        let (mut in_text, mut in_stored) = (0, 0);
        for item in &self.items {
            match item.kind {
                ItemKind::Entry(end) => {
                    out.extend_from_slice(self.stored.get(in_stored..end).unwrap_or_default());
                    in_stored = end;
                }
                ItemKind::Passed => {
                    out.extend_from_slice(self.text.get(in_text..item.end).unwrap_or_default());
                }
                ItemKind::Rejected => {}
            }
            in_text = item.end;
        }
    }

    /// The input line of the last event that was stored.
    #[must_use]
    pub fn last_line_stored(&self) -> Option<u64> {
        let mut items = self.items.iter().rev();
        items.find_map(|item| matches!(item.kind, ItemKind::Entry(_)).then_some(item.line))
    }

    /// Gives the entries their numbers from `first` on. One whose line would be over `cap` bytes
    /// (without LF) gets none and is told; `None` if the numbers do not suffice.
    pub(super) fn number(&mut self, first: u64, cap: usize) -> Option<Vec<Rejected>> {
        let mut rejected = Vec::new();
        let mut next = first;
        let mut begin = 0;
        self.stored.clear();
        for item in &mut self.items {
            let text = self.text.get(begin..item.end).unwrap_or_default();
            begin = item.end;
            if item.kind == ItemKind::Passed {
                continue;
            }
            if next > MAX_SEQUENCE {
                return None;
            }
            let from = self.stored.len();
            self.stored.extend_from_slice(text);
            // Writing into memory cannot fail.
            let _ = write!(self.stored, ",\"journalSequence\":{next}}}");
            let length = self.stored.len() - from;
            if length > cap {
                self.stored.truncate(from);
                item.kind = ItemKind::Rejected;
                rejected.push(Rejected {
                    line: item.line,
                    problem: oversized_event(length as u64, cap),
                    text: [text, b"}"].concat(),
                });
                continue;
            }
            self.stored.push(b'\n');
            item.kind = ItemKind::Entry(self.stored.len());
            next += 1;
        }
        self.entries = usize::try_from(next - first).unwrap_or(usize::MAX);
        Some(rejected)
    }

    /// The lines to write.
    pub(super) fn stored(&self) -> &[u8] {
        &self.stored
    }

    /// Where the last of the lines to write begins.
    pub(super) fn last_stored_begins(&self) -> usize {
        let whole = self.stored.len().saturating_sub(1);
        let before = self.stored.get(..whole).unwrap_or_default();
        memchr::memrchr(b'\n', before).map_or(0, |at| at + 1)
    }

    /// An event's line in its two parts, but for the last brace.
    fn push_parts(&mut self, (before, after): (&str, &str)) {
        self.text.extend_from_slice(before.as_bytes());
        let after = after.strip_suffix('}').unwrap_or(after);
        self.text.extend_from_slice(after.as_bytes());
    }

    fn push_item(&mut self, line: u64, kind: ItemKind) {
        self.items.push(Item {
            end: self.text.len(),
            line,
            kind,
        });
    }
}
