//! The first step of reading: one walk over a line's members, each put under its name.

use std::collections::BTreeSet;

use xxhash_rust::xxh3::xxh3_64;

use crate::finding::{Code, Problem};
use crate::json::{Dialect, Member, Object, Raw};

/// The members of a line by the names that matter; nothing is judged yet but the grammar and
/// keys that stand twice. Also what tells the kinds of records apart ([`crate::record`]).
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)]
pub struct Fields<'a> {
    pub text: &'a str,
    pub schema_version: Option<Raw<'a>>,
    pub event_id: Option<Raw<'a>>,
    pub source: Option<Raw<'a>>,
    pub source_epoch: Option<Raw<'a>>,
    pub child_id: Option<Raw<'a>>,
    pub lineage: Option<Raw<'a>>,
    pub kind: Option<Raw<'a>>,
    pub state: Option<Raw<'a>>,
    pub observed_at: Option<Raw<'a>>,
    pub sequence: Option<Raw<'a>>,
    pub activity: Option<Raw<'a>>,
    pub details: Option<Raw<'a>>,
    pub capabilities: Option<Raw<'a>>,
    pub journal_sequence: Option<Placed<'a>>,
    /// `type`, which the toolkit's own lines have.
    pub own_type: Option<Raw<'a>>,
    /// `children`, which snapshots have.
    pub children: Option<Raw<'a>>,
    pub snapshot_id: Option<Raw<'a>>,
    pub complete: Option<Raw<'a>>,
    pub coverage: Option<Raw<'a>>,
    /// What there is outside the contract.
    pub extra: Extra,
    /// Whether a key stands twice.
    pub duplicate: bool,
}

/// A value together with the place of its member in the line, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    /// The value.
    pub value: Raw<'a>,
    /// Where the member's key begins.
    pub start: usize,
    /// Where the member's value ends.
    pub end: usize,
}

impl<'a> Fields<'a> {
    /// Walks a line.
    ///
    /// # Errors
    ///
    /// `invalid_utf8`, `malformed_json`, `too_deep`, `not_an_object`. A key that stands twice is
    /// only noted: whether it matters depends on the kind of record.
    pub fn walk(line: &'a [u8]) -> Result<Fields<'a>, Problem> {
        let text = utf8(line)?;
        let mut fields = Fields {
            text,
            ..Fields::default()
        };
        let mut extra_keys = KeySet::default();
        let mut object = Object::open(text, Dialect::Strict)?;
        while let Some(member) = object.member()? {
            fields.put(&member, &mut extra_keys);
        }
        Ok(fields)
    }

    fn put(&mut self, member: &Member<'a>, extra_keys: &mut KeySet) {
        let slot = match &*member.key {
            "schemaVersion" => &mut self.schema_version,
            "eventId" => &mut self.event_id,
            "source" => &mut self.source,
            "sourceEpoch" => &mut self.source_epoch,
            "childId" => &mut self.child_id,
            "lineage" => &mut self.lineage,
            "kind" => &mut self.kind,
            "state" => &mut self.state,
            "observedAt" => &mut self.observed_at,
            "sequence" => &mut self.sequence,
            "activity" => &mut self.activity,
            "details" => &mut self.details,
            "capabilities" => &mut self.capabilities,
            "journalSequence" => return self.put_journal_sequence(member),
            other => {
                self.extra.add("", member);
                match other {
                    "type" => &mut self.own_type,
                    "children" => &mut self.children,
                    "snapshotId" => &mut self.snapshot_id,
                    "complete" => &mut self.complete,
                    "coverage" => &mut self.coverage,
                    _ => {
                        self.duplicate |= !extra_keys.insert(other);
                        return;
                    }
                }
            }
        };
        self.duplicate |= slot.replace(member.value).is_some();
    }

    fn put_journal_sequence(&mut self, member: &Member<'a>) {
        let (start, end) = (member.offset, member.offset + member.text.len());
        let placed = Placed {
            value: member.value,
            start,
            end,
        };
        self.duplicate |= self.journal_sequence.replace(placed).is_some();
    }
}

/// The members outside the contract, of the event itself, its lineage or its capabilities: as one
/// number by their bytes, whatever their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extra {
    /// Equal for equal members.
    pub hash: u64,
    /// Whether there are any.
    pub any: bool,
}

impl Extra {
    /// Adds a member of the object of that name, `""` being the event itself.
    pub(super) fn add(&mut self, object: &str, member: &Member<'_>) {
        let key = xxh3_64(member.key.as_bytes()) ^ xxh3_64(object.as_bytes()).rotate_left(31);
        let value = xxh3_64(member.value.text().as_bytes());
        self.any = true;
        self.hash = self
            .hash
            .wrapping_add(key.rotate_left(17).wrapping_mul(value | 1));
    }
}

/// The line as UTF-8.
///
/// # Errors
///
/// `invalid_utf8`, saying at which byte.
pub fn utf8(line: &[u8]) -> Result<&str, Problem> {
    std::str::from_utf8(line).map_err(|error| {
        let at = error.valid_up_to() + 1;
        Problem::new(Code::InvalidUtf8, format!("not UTF-8 (byte {at})"))
    })
}

/// Names met so far, by hash. The first sixteen cost no allocation; a hostile line with
/// thousands stays linear.
#[derive(Debug, Default)]
pub(crate) struct KeySet {
    few: [u64; 16],
    count: usize,
    more: BTreeSet<u64>,
}

impl KeySet {
    /// Adds a name; false if it was there.
    pub(crate) fn insert(&mut self, key: &str) -> bool {
        let hash = xxh3_64(key.as_bytes());
        if self.few[..self.count].contains(&hash) {
            return false;
        }
        if self.count < self.few.len() {
            self.few[self.count] = hash;
            self.count += 1;
            return true;
        }
        self.more.insert(hash)
    }
}
