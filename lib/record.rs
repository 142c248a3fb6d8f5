//! Telling the records of mixed input apart by their fields (SPEC section 1).

use crate::event::{EventView, Fields, MAX_EVENT_BYTES};
use crate::finding::{Code, Problem};

/// The values of `type` that the toolkit's own lines carry.
pub const OWN_TYPES: [&str; 7] = [
    "progress",
    "update",
    "audit",
    "intent",
    "synthesized",
    "diagnostic",
    "diff",
];

/// One line of mixed input.
#[derive(Clone, Debug)]
pub enum Record<'a> {
    /// An event of the contract, valid.
    Event(EventView<'a>),
    /// A line with `children`: a snapshot or partial view, not yet validated.
    Snapshot(Fields<'a>),
    /// A line of the toolkit's own, such as a progress record.
    Own(Fields<'a>),
}

impl<'a> Record<'a> {
    /// Reads one line of mixed input: `kind` makes it an event, `children` a snapshot or partial
    /// view, a `type` of ours a line of the toolkit's own.
    ///
    /// # Errors
    ///
    /// `unknown_record` for anything else, `oversized_line` for an event over
    /// [`MAX_EVENT_BYTES`], and what [`Fields::walk`] and [`EventView::from_fields`] say.
    pub fn parse(line: &'a [u8]) -> Result<Record<'a>, Problem> {
        Record::parse_within(line, MAX_EVENT_BYTES)
    }

    /// The same with another cap for events, in bytes without LF.
    ///
    /// # Errors
    ///
    /// As [`Record::parse`].
    pub fn parse_within(line: &'a [u8], max_event_bytes: usize) -> Result<Record<'a>, Problem> {
        let fields = Fields::walk(line)?;
        if fields.kind.is_some() {
            if line.len() > max_event_bytes {
                return Err(oversized_event(line.len() as u64, max_event_bytes));
            }
            return EventView::from_fields(&fields).map(Record::Event);
        }
        if fields.children.is_some() {
            return Ok(Record::Snapshot(fields));
        }
        match fields.own_type.and_then(|raw| raw.as_str()) {
            Some(word) if OWN_TYPES.contains(&&*word) => Ok(Record::Own(fields)),
            _ => Err(Problem::new(
                Code::UnknownRecord,
                "neither an event (`kind`), a snapshot (`children`), nor a line of the toolkit",
            )),
        }
    }
}

/// The finding for an event that is too long for other readers of the contract.
#[must_use]
pub fn oversized_event(length: u64, max_event_bytes: usize) -> Problem {
    Problem::new(
        Code::OversizedLine,
        format!("an event of {length} bytes; at most {max_event_bytes} are allowed"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_told_apart_by_their_fields() {
        assert!(matches!(
            Record::parse(br#"{"children":[]}"#),
            Ok(Record::Snapshot(_))
        ));
        assert!(matches!(
            Record::parse(br#"{"type":"progress"}"#),
            Ok(Record::Own(_))
        ));
        let code = |line: &[u8]| Record::parse(line).map(|_| ()).unwrap_err().code;
        assert_eq!(
            code(br#"{"type":"text","content":"x"}"#),
            Code::UnknownRecord
        );
        assert_eq!(code(br#"{"kind":"created"}"#), Code::MissingField);
        assert_eq!(code(b"[]"), Code::NotAnObject);
        let long = format!(
            "{{\"kind\":\"created\",\"x\":\"{}\"}}",
            "x".repeat(MAX_EVENT_BYTES)
        );
        assert_eq!(code(long.as_bytes()), Code::OversizedLine);
    }
}
