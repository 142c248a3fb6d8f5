//! Judging the lines of a journal: entry, or damage, and of what kind.
//!
//! Damage is never repaired here and never costs a neighbour: after it the judge finds its way
//! back, so that one lost line is one damage and not thousands. The codes are the journal's rows
//! of the list in SPEC section 2; what they mean for a line:
//!
//! | code | the line |
//! | --- | --- |
//! | `nul_run` | holds NUL bytes, as a power cut leaves them |
//! | `truncated_line` | is the last one and has no LF, even if it parses |
//! | `oversized_line` | is over the cap |
//! | `bom` | begins with a byte order mark |
//! | `invalid_utf8`, `not_an_object` | as said |
//! | `fused_records` | holds two records: one torn or whole, then another |
//! | `malformed_json` | is no JSON, for another reason; or nested too deep |
//! | `invalid_event` | is a JSON object, but no event of the contract |
//! | `sequence_not_next` | is an event whose `journalSequence` is not the previous one + 1 |
//!
//! The first that applies is told. Memory: none beyond the line.

use std::num::NonZeroUsize;

use crate::event::{EventView, Fields};
use crate::finding::{Code, Problem};
use crate::json::{Dialect, Object};
use crate::line::Line;

/// Names that a record's first field may have; what follows `{"` where a record begins.
const FIRST_FIELDS: [&str; 14] = [
    "schemaVersion",
    "eventId",
    "source",
    "sourceEpoch",
    "childId",
    "lineage",
    "kind",
    "state",
    "observedAt",
    "sequence",
    "activity",
    "details",
    "capabilities",
    "journalSequence",
];

/// How many places are tried for the beginning of a second record on a line.
const MAX_TRIES: usize = 16;

/// Damage, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Byte offset of the line in the file, from 0.
    pub offset: u64,
    /// The line, from 1, white ones counted.
    pub line: u64,
    /// The code and what to say.
    pub problem: Problem,
}

impl Damage {
    /// What is wrong with that line.
    #[must_use]
    pub fn at(line: &Line<'_>, problem: Problem) -> Damage {
        Damage {
            offset: line.offset,
            line: line.number,
            problem,
        }
    }
}

/// An entry: a valid event with its place in the journal.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// The event, `journalSequence` included.
    pub event: EventView<'a>,
    /// The journalSequence.
    pub sequence: u64,
    /// Damage that leaves the entry readable: its number is not the next one.
    pub wrong_number: Option<Problem>,
}

/// The judge of one journal, read from a place whose last number is known.
#[derive(Clone, Copy, Debug)]
pub struct Judge {
    cap: usize,
    next: u64,
    /// How many entries the unreadable lines since the last entry may have been.
    lost: u64,
}

impl Judge {
    /// A judge who expects the number after `last`; lines may have `cap` bytes without LF.
    #[must_use]
    pub fn new(last: u64, cap: NonZeroUsize) -> Judge {
        Judge {
            cap: cap.get(),
            next: last + 1,
            lost: 0,
        }
    }

    /// Judges one line; `None` for a white one.
    ///
    /// # Errors
    ///
    /// What is wrong, where the line cannot be read as an entry.
    pub fn judge<'a>(&mut self, line: &Line<'a>) -> Result<Option<Entry<'a>>, Problem> {
        match self.look(line) {
            Ok(None) => Ok(None),
            Ok(Some(event)) => self.entry(event).map(Some),
            Err(problem) => {
                self.lose(problem.code, 1);
                Err(problem)
            }
        }
    }

    /// What a line is, whatever its number.
    pub(super) fn look<'a>(&self, line: &Line<'a>) -> Result<Option<EventView<'a>>, Problem> {
        let bom = line.frame.bom || line.bytes.starts_with(b"\xEF\xBB\xBF");
        if line.is_blank() && line.frame.terminated && !bom {
            return Ok(None);
        }
        if !bom && self.fits(line) {
            let parsed = EventView::parse(line.bytes);
            return parsed
                .map(Some)
                .map_err(|problem| explain(line.bytes, problem));
        }
        Err(self.frame_problem(line, bom))
    }

    fn fits(&self, line: &Line<'_>) -> bool {
        line.frame.terminated && line.frame.oversized.is_none() && line.bytes.len() <= self.cap
    }

    /// What is wrong with a line whose frame is.
    fn frame_problem(&self, line: &Line<'_>, bom: bool) -> Problem {
        if let Some(problem) = nul_run(line.bytes) {
            return problem;
        }
        let bom_alone = bom && line.bytes.is_empty();
        if !line.frame.terminated && !bom_alone {
            let whole = EventView::parse(line.bytes).is_ok();
            return Problem::new(
                Code::TruncatedLine,
                if whole {
                    "the last line is a whole event, but has no LF"
                } else {
                    "the last line is cut off"
                },
            );
        }
        if bom {
            return Problem::new(Code::Bom, "a byte order mark; journals have none");
        }
        let length = line.frame.oversized.unwrap_or(line.bytes.len() as u64);
        Problem::new(
            Code::OversizedLine,
            format!("a line of {length} bytes; at most {} are allowed", self.cap),
        )
    }

    fn entry<'a>(&mut self, event: EventView<'a>) -> Result<Entry<'a>, Problem> {
        let (sequence, wrong_number) = self.number(Stated::by(&event))?;
        Ok(Entry {
            event,
            sequence,
            wrong_number,
        })
    }

    /// Holds an event's number against the one that was due.
    pub(super) fn number(&mut self, stated: Stated) -> Result<(u64, Option<Problem>), Problem> {
        let due = self.next;
        let what = match stated {
            Stated::Number(sequence) => {
                let explained = (due..=due.saturating_add(self.lost)).contains(&sequence);
                self.next = sequence + 1;
                self.lost = 0;
                let wrong_number = (!explained).then(|| {
                    let message = format!("`journalSequence` {sequence}, where {due} was due");
                    Problem::new(Code::SequenceNotNext, message)
                });
                return Ok((sequence, wrong_number));
            }
            Stated::Odd => "`journalSequence` is no integer written with digits alone",
            Stated::Nothing => "an event without `journalSequence`",
        };
        self.lose(Code::SequenceNotNext, 1);
        let message = format!("{what}, where {due} was due");
        Err(Problem::new(Code::SequenceNotNext, message))
    }

    /// An unreadable line may have been an entry, so the next number may be missing; two fused
    /// records may have been two, and a run of NULs any number.
    pub(super) fn lose(&mut self, code: Code, lines: u64) {
        let entries = match code {
            Code::NulRun => u64::MAX,
            Code::FusedRecords => lines.saturating_mul(2),
            _ => lines,
        };
        self.lost = self.lost.saturating_add(entries);
    }
}

/// What an event says of its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stated {
    Number(u64),
    /// Something else than a number that could be one.
    Odd,
    Nothing,
}

impl Stated {
    pub(super) fn by(event: &EventView<'_>) -> Stated {
        match event.journal_sequence() {
            None => Stated::Nothing,
            Some(raw) => raw.as_u53().map_or(Stated::Odd, Stated::Number),
        }
    }
}

/// The journal's code for what a reader of events says about a line.
fn explain(line: &[u8], problem: Problem) -> Problem {
    if let Some(problem) = nul_run(line) {
        return problem;
    }
    match problem.code {
        Code::InvalidUtf8 | Code::NotAnObject => problem,
        Code::MalformedJson if is_fused(line) => {
            Problem::new(Code::FusedRecords, "two records on one line")
        }
        Code::MalformedJson | Code::TooDeep => Problem {
            code: Code::MalformedJson,
            ..problem
        },
        code => Problem::new(Code::InvalidEvent, format!("{code}: {}", problem.message)),
    }
}

fn nul_run(line: &[u8]) -> Option<Problem> {
    let first = memchr::memchr(0, line)?;
    let run = line.iter().skip(first).take_while(|byte| **byte == 0);
    let message = format!("{} NUL bytes from byte {}", run.count(), first + 1);
    Some(Problem::new(Code::NulRun, message))
}

/// Whether a line that is no JSON holds two records: it stops making sense where an object
/// begins, or right after a whole object where a member's name begins; or a whole event ends it.
fn is_fused(line: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(line) else {
        return false;
    };
    let (offset, complete) = sense_until(text);
    let next = line.get(offset);
    if offset > 0 && (next == Some(&b'{') || complete && next == Some(&b'"')) {
        return true;
    }
    beginnings(text)
        .take(MAX_TRIES)
        .any(|rest| Fields::walk(rest.as_bytes()).is_ok_and(|fields| fields.kind.is_some()))
}

/// How far a text is the beginning of a JSON object, and whether that object was complete there.
fn sense_until(text: &str) -> (usize, bool) {
    let mut complete = 0;
    let mut object = match Object::open(text, Dialect::Strict) {
        Ok(object) => object,
        Err(error) => return (error.offset, false),
    };
    loop {
        match object.member() {
            Ok(Some(member)) => complete = member.offset + member.text.len(),
            Ok(None) => return (text.len(), true),
            Err(error) => {
                let between = text.get(complete..error.offset).unwrap_or("");
                return (error.offset, between.trim() == "}");
            }
        }
    }
}

/// Where a record may begin, but for the start of the line.
pub(super) fn beginnings(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("{\"")
        .filter(|(at, _)| *at > 0)
        .filter_map(|(at, _)| text.get(at..))
        .filter(|rest| {
            FIRST_FIELDS.iter().any(|name| {
                let after = rest.get(2..).and_then(|rest| rest.strip_prefix(name));
                after.is_some_and(|after| after.starts_with('"'))
            })
        })
}
