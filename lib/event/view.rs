//! Reading an event from a line, borrowing it.

use std::borrow::Cow;
use std::ops::Deref;

use super::content::ContentHash;
use super::fields::{Extra, Fields, Placed};
use super::read::{
    capabilities, details, duplicate, integer, lineage, optional_string, required, state, string,
    time,
};
use super::rules::invalid;
use super::{Capabilities, Capability, Event, Kind};
use crate::finding::{Code, Problem};
use crate::json::Raw;

/// A valid event and the line it was read from. Allocates only where a string holds escapes.
#[derive(Clone, Debug)]
pub struct EventView<'a> {
    event: Event<'a>,
    text: &'a str,
    observed_at_text: Cow<'a, str>,
    adopted_at_text: Option<Cow<'a, str>>,
    journal_sequence: Option<Placed<'a>>,
    extra: Extra,
}

impl<'a> Deref for EventView<'a> {
    type Target = Event<'a>;

    fn deref(&self) -> &Event<'a> {
        &self.event
    }
}

impl<'a> EventView<'a> {
    /// Reads one line, without its LF.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong: the bytes, the grammar, a key that stands twice, then the
    /// fields in the order in which they are written.
    ///
    /// # Examples
    ///
    /// ```
    /// use lctools::event::{EventView, State};
    /// let line = br#"{"schemaVersion":1,"eventId":"evt-7","source":"worker-cli",
    ///     "sourceEpoch":"start-2","childId":"child-42",
    ///     "lineage":{"rootChildId":"child-42","attempt":0,"external":false},
    ///     "kind":"state_changed","state":"running",
    ///     "observedAt":"2026-08-24T09:15:30.000Z","sequence":7}"#;
    /// let event = EventView::parse(line).unwrap();
    /// assert_eq!(event.state, Some(State::Running));
    /// assert_eq!(EventView::parse(b"{}").unwrap_err().code.as_str(), "missing_field");
    /// ```
    pub fn parse(line: &'a [u8]) -> Result<EventView<'a>, Problem> {
        EventView::from_fields(&Fields::walk(line)?)
    }

    /// Judges the members of a line.
    ///
    /// # Errors
    ///
    /// As [`EventView::parse`], the grammar having been proved.
    pub fn from_fields(fields: &Fields<'a>) -> Result<EventView<'a>, Problem> {
        if fields.duplicate {
            return Err(duplicate("the event"));
        }
        if required("schemaVersion", fields.schema_version)?.text() != "1" {
            return Err(Problem::new(
                Code::SchemaVersion,
                "`schemaVersion` is not 1",
            ));
        }
        let mut extra = fields.extra;
        let event_id = string("eventId", fields.event_id)?;
        let source = string("source", fields.source)?;
        let source_epoch = string("sourceEpoch", fields.source_epoch)?;
        let child_id = string("childId", fields.child_id)?;
        let (lineage, adopted_at_text) = lineage(required("lineage", fields.lineage)?, &mut extra)?;
        let kind = string("kind", fields.kind)?;
        let kind = Kind::from_word(&kind).ok_or_else(|| invalid("kind", "is no kind"))?;
        let state = fields.state.map(state).transpose()?;
        let (observed_at, observed_at_text) =
            time("observedAt", required("observedAt", fields.observed_at)?)?;
        let sequence = fields
            .sequence
            .map(|raw| integer("sequence", raw))
            .transpose()?;
        let activity = optional_string("activity", fields.activity)?;
        let details = fields.details.map(details).transpose()?;
        let capabilities = fields
            .capabilities
            .map(|raw| capabilities(raw, &mut extra))
            .transpose()?;
        let event = Event {
            event_id,
            source,
            source_epoch,
            child_id,
            lineage,
            kind,
            state,
            observed_at,
            sequence,
            activity,
            details: details.map(Cow::Borrowed),
            capabilities,
        };
        event.check_fields()?;
        Ok(EventView {
            event,
            text: fields.text,
            observed_at_text,
            adopted_at_text,
            journal_sequence: fields.journal_sequence,
            extra,
        })
    }

    /// The line as read.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Whether the line has top-level fields outside the contract.
    #[must_use]
    pub fn has_fields_outside_contract(&self) -> bool {
        self.extra.any
    }

    /// The value of `journalSequence`, if the line has that member.
    #[must_use]
    pub fn journal_sequence(&self) -> Option<Raw<'a>> {
        self.journal_sequence.map(|placed| placed.value)
    }

    /// The line in two parts which, put together, are the line without its `journalSequence`
    /// member and without white space at the end. The second part ends in the closing brace.
    #[must_use]
    pub fn without_journal_sequence(&self) -> (&'a str, &'a str) {
        let text = self.text.trim_end_matches([' ', '\t', '\n', '\r']);
        let Some(placed) = self.journal_sequence else {
            return text.split_at(text.len() - 1);
        };
        let (before, after) = (&text[..placed.start], &text[placed.end..]);
        let before = before.trim_end_matches([' ', '\t', '\n', '\r']);
        match before.strip_suffix(',') {
            Some(before) => (before, after),
            // It was the first member: the comma to drop is the one after it.
            None => {
                let rest = after.trim_start_matches([' ', '\t', '\n', '\r']);
                (before, rest.strip_prefix(',').unwrap_or(rest))
            }
        }
    }

    /// `details.snapshotId`, if there is one: the evidence of a correction.
    #[must_use]
    pub fn snapshot_id(&self) -> Option<Cow<'a, str>> {
        self.detail("snapshotId")?.as_str()
    }

    /// A member of `details`.
    #[must_use]
    pub fn detail(&self, key: &str) -> Option<Raw<'a>> {
        match &self.event.details {
            Some(Cow::Borrowed(details)) => Raw::parse(details).ok()?.get(key),
            _ => None,
        }
    }

    /// What is allowed, but not likely meant.
    pub fn warnings(&self) -> impl Iterator<Item = Problem> + use<> {
        let external = self.lineage.external && self.lineage.adopted_at.is_none();
        let ignored = self.kind == Kind::Diagnostic && self.state.is_some();
        let bare = self.kind == Kind::Reconciliation
            && self.state.is_some()
            && self.snapshot_id().is_none();
        let warning = |wrong: bool, code, text| wrong.then(|| Problem::new(code, text));
        [
            warning(
                external,
                Code::ExternalWithoutAdoptedAt,
                "an external child without `lineage.adoptedAt`: since when it was observed is unknown",
            ),
            warning(ignored, Code::StateIgnored, "the state of a diagnostic moves nothing"),
            warning(
                bare,
                Code::CorrectionWithoutSnapshot,
                "a correction without `details.snapshotId` is judged as a state_changed",
            ),
        ]
        .into_iter()
        .flatten()
    }

    /// A hash of the content: the contract's own fields by value (times and numbers as written,
    /// capabilities defaulted), `details` and fields outside the contract by their bytes,
    /// `journalSequence` left out (SPEC section 5, rule 1).
    #[must_use]
    pub fn content_hash(&self) -> u64 {
        let lineage = &self.lineage;
        let mut hash = ContentHash(self.extra.hash);
        hash.text(&self.event_id);
        hash.text(&self.source);
        hash.text(&self.source_epoch);
        hash.text(&self.child_id);
        hash.text(&lineage.root_child_id);
        hash.number(lineage.attempt << 1 | u64::from(lineage.external));
        hash.option(lineage.parent_child_id.as_deref());
        hash.option(self.adopted_at_text.as_deref());
        hash.number((self.kind as u64) << 8 | self.state.map_or(0, |state| state as u64 + 1));
        hash.text(&self.observed_at_text);
        hash.number(self.sequence.map_or(0, |sequence| sequence + 1));
        hash.option(self.activity.as_deref());
        hash.option(self.details.as_deref());
        let capabilities = self.capabilities.unwrap_or(Capabilities::UNKNOWN);
        let known = capabilities
            .members()
            .map(|(_, value)| value == Capability::Known);
        hash.number(
            known
                .iter()
                .fold(0, |bits, known| bits << 1 | u64::from(*known)),
        );
        hash.0
    }
}
