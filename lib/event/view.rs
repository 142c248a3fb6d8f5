//! Reading an event from a line, borrowing it.

use std::borrow::Cow;
use std::ops::Deref;

use xxhash_rust::xxh3::xxh3_64;

use super::fields::{Fields, KeySet, Placed};
use super::rules::invalid;
use super::{Capabilities, Capability, Event, Kind, Lineage, State};
use crate::finding::{Code, Problem};
use crate::json::{self, Raw};
use crate::time::{TimeError, UtcTime};

/// A valid event and the line it was read from. Allocates only where a string holds escapes.
#[derive(Clone, Debug)]
pub struct EventView<'a> {
    event: Event<'a>,
    text: &'a str,
    observed_at_text: Cow<'a, str>,
    adopted_at_text: Option<Cow<'a, str>>,
    journal_sequence: Option<Placed<'a>>,
    extra: u64,
    has_extra: bool,
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
        let event_id = string("eventId", fields.event_id)?;
        let source = string("source", fields.source)?;
        let source_epoch = string("sourceEpoch", fields.source_epoch)?;
        let child_id = string("childId", fields.child_id)?;
        let (lineage, adopted_at_text) = lineage(required("lineage", fields.lineage)?)?;
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
        let capabilities = fields.capabilities.map(capabilities).transpose()?;
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
            extra: fields.extra,
            has_extra: fields.has_extra,
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
        self.has_extra
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
        let mut hash = ContentHash(self.extra);
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

/// Folds fields into one number, each with its length, so that no two lists of fields run
/// together.
struct ContentHash(u64);

impl ContentHash {
    fn number(&mut self, number: u64) {
        let mixed = (self.0 ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ mixed >> 32;
    }

    fn text(&mut self, text: &str) {
        self.number(xxh3_64(text.as_bytes()));
    }

    fn option(&mut self, text: Option<&str>) {
        match text {
            Some(text) => {
                self.number(1);
                self.text(text);
            }
            None => self.number(0),
        }
    }
}

pub(crate) fn duplicate(what: &str) -> Problem {
    Problem::new(
        Code::DuplicateKey,
        format!("a key stands twice in {what}; two readers would disagree about it"),
    )
}

pub(crate) fn required<'a>(field: &str, raw: Option<Raw<'a>>) -> Result<Raw<'a>, Problem> {
    raw.ok_or_else(|| Problem::new(Code::MissingField, format!("`{field}` is missing")))
}

pub(crate) fn string<'a>(field: &str, raw: Option<Raw<'a>>) -> Result<Cow<'a, str>, Problem> {
    required(field, raw)?
        .as_str()
        .ok_or_else(|| invalid(field, "is not a string"))
}

fn optional_string<'a>(field: &str, raw: Option<Raw<'a>>) -> Result<Option<Cow<'a, str>>, Problem> {
    raw.map(|raw| string(field, Some(raw))).transpose()
}

pub(crate) fn integer(field: &str, raw: Raw<'_>) -> Result<u64, Problem> {
    raw.as_u53()
        .ok_or_else(|| invalid(field, "is not an integer from 0 to 2^53 - 1, digits only"))
}

pub(crate) fn state(raw: Raw<'_>) -> Result<State, Problem> {
    let word = string("state", Some(raw))?;
    State::from_word(&word).ok_or_else(|| invalid("state", "is no state"))
}

pub(crate) fn details(raw: Raw<'_>) -> Result<&str, Problem> {
    match raw.kind() {
        json::Kind::Object => Ok(raw.text()),
        _ => Err(invalid("details", "is not an object")),
    }
}

pub(crate) fn time<'a>(field: &str, raw: Raw<'a>) -> Result<(UtcTime, Cow<'a, str>), Problem> {
    let text = string(field, Some(raw))?;
    match UtcTime::parse(&text) {
        Ok(time) => Ok((time, text)),
        Err(TimeError::NotUtc) => Err(Problem::new(
            Code::TimestampNotUtc,
            format!("`{field}` is not in UTC; write it with `Z`"),
        )),
        Err(TimeError::Invalid) => Err(Problem::new(
            Code::TimestampInvalid,
            format!("`{field}` is no RFC 3339 time such as 2026-08-24T09:15:30.000Z"),
        )),
    }
}

pub(crate) type LineageAsWritten<'a> = (Lineage<'a>, Option<Cow<'a, str>>);

pub(crate) fn lineage(raw: Raw<'_>) -> Result<LineageAsWritten<'_>, Problem> {
    const NAMES: [&str; 5] = [
        "rootChildId",
        "attempt",
        "external",
        "parentChildId",
        "adoptedAt",
    ];
    let [root, attempt, external, parent, adopted] = members_of("lineage", raw, NAMES)?;
    let root_child_id = string("lineage.rootChildId", root)?;
    let attempt = integer("lineage.attempt", required("lineage.attempt", attempt)?)?;
    let external = required("lineage.external", external)?
        .as_bool()
        .ok_or_else(|| invalid("lineage.external", "is not true or false"))?;
    let parent_child_id = optional_string("lineage.parentChildId", parent)?;
    let (adopted_at, adopted_at_text) = adopted
        .map(|raw| time("lineage.adoptedAt", raw))
        .transpose()?
        .unzip();
    let lineage = Lineage {
        root_child_id,
        attempt,
        external,
        parent_child_id,
        adopted_at,
    };
    Ok((lineage, adopted_at_text))
}

pub(crate) fn capabilities(raw: Raw<'_>) -> Result<Capabilities, Problem> {
    let mut capabilities = Capabilities::UNKNOWN;
    let names = capabilities.members().map(|(name, _)| name);
    let values = members_of("capabilities", raw, names)?;
    for (name, value) in names.into_iter().zip(values) {
        let (Some(value), Some(slot)) = (value, capabilities.member_mut(name)) else {
            continue;
        };
        *slot = value
            .as_str()
            .and_then(|word| Capability::from_word(&word))
            .ok_or_else(|| invalid("capabilities", "says something else than known or unknown"))?;
    }
    Ok(capabilities)
}

/// The members of an object by the names that matter, any others allowed but none twice.
pub(crate) fn members_of<'a, const N: usize>(
    field: &str,
    raw: Raw<'a>,
    names: [&str; N],
) -> Result<[Option<Raw<'a>>; N], Problem> {
    if raw.kind() != json::Kind::Object {
        return Err(invalid(field, "is not an object"));
    }
    let mut values = [None; N];
    let mut others = KeySet::default();
    for member in raw.members() {
        let fresh = match names.iter().position(|name| *name == member.key) {
            Some(index) => values[index].replace(member.value).is_none(),
            None => others.insert(&member.key),
        };
        if !fresh {
            return Err(duplicate(&format!("`{field}`")));
        }
    }
    Ok(values)
}
