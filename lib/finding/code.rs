//! The finding codes: the full list of SPEC section 2.

use std::fmt;
use std::str::FromStr;

/// Whether and when a code counts against the exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Counted: the line is no valid record.
    Invalid,
    /// Counted: the record is valid, what it tells is wrong.
    Finding,
    /// A status of the projection; said and counted only under `--strict`.
    Status,
    /// Shown, never counted.
    Warning,
}

macro_rules! codes {
    ($($class:ident { $($(#[doc = $doc:literal])* $name:ident = $text:literal,)* })*) => {
        /// A finding's code. Its text is part of the interface: scripts match on it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $($($(#[doc = $doc])* $name,)*)* }

        impl Code {
            const ALL: &[Code] = &[$($(Code::$name,)*)*];

            /// The code as it is written.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $($(Code::$name => $text,)*)* }
            }

            /// Whether and when it counts.
            #[must_use]
            pub fn class(self) -> Class {
                match self { $($(Code::$name => Class::$class,)*)* }
            }
        }
    };
}

codes! {
    Invalid {
        /// Longer than the cap; skipped in constant memory.
        OversizedLine = "oversized_line",
        /// The input ends inside a line.
        TruncatedLine = "truncated_line",
        /// Not UTF-8.
        InvalidUtf8 = "invalid_utf8",
        /// Not JSON.
        MalformedJson = "malformed_json",
        /// Nested over 1,024 levels.
        TooDeep = "too_deep",
        /// JSON, but no object.
        NotAnObject = "not_an_object",
        /// One key twice where two readers would disagree.
        DuplicateKey = "duplicate_key",
        /// No record of the contract, nor one of the toolkit's own.
        UnknownRecord = "unknown_record",
        /// A native object without `type`.
        MissingType = "missing_type",
        /// Another schema version than 1.
        SchemaVersion = "schema_version",
        /// A required field is missing.
        MissingField = "missing_field",
        /// A field's value breaks its rule.
        InvalidField = "invalid_field",
        /// Not a time of RFC 3339.
        TimestampInvalid = "timestamp_invalid",
        /// A time with another offset than UTC's.
        TimestampNotUtc = "timestamp_not_utc",
        /// The kind requires a state.
        StateRequired = "state_required",
        /// The kind forbids a state.
        StateForbidden = "state_forbidden",
        /// The kind does not go with that state.
        StateMismatch = "state_mismatch",
        /// A snapshot that does not say `complete: true` or `false`.
        SnapshotNotComplete = "snapshot_not_complete",
        /// A snapshot whose coverage does not cover what it lists.
        SnapshotCoverage = "snapshot_coverage",
        /// Journal damage: no valid event.
        InvalidEvent = "invalid_event",
        /// Journal damage: a byte order mark.
        Bom = "bom",
        /// Journal damage: a run of NUL bytes.
        NulRun = "nul_run",
        /// Journal damage: two records on one line.
        FusedRecords = "fused_records",
        /// Journal damage: not the previous sequence + 1.
        SequenceNotNext = "sequence_not_next",
    }
    Finding {
        /// JSON only to Python: NaN, Infinity, lone surrogates; repaired and read.
        NonstandardJson = "nonstandard_json",
        /// The same identity with other content.
        IdentityConflict = "identity_conflict",
        /// A second `created` for a known child.
        DuplicateCreated = "duplicate_created",
        /// A move the contract does not know.
        IllegalTransition = "illegal_transition",
        /// An event without state for a child nobody has seen.
        UnknownChild = "unknown_child",
        /// An end with no start.
        OrphanEnd = "orphan_end",
        /// An error after the end of the run.
        AfterEnd = "after_end",
        /// The stream ended, the run did not.
        StreamEnded = "stream_ended",
        /// A status the runtime's protocol does not name.
        UnknownStatus = "unknown_status",
    }
    Status {
        /// The event's epoch was left.
        SupersededEpoch = "superseded_epoch",
        /// An inferred loss; the child has spoken since.
        SupersededLost = "superseded_lost",
        /// Not above the highest sequence.
        OldSequence = "old_sequence",
        /// The child was first seen by another event than `created`.
        LateJoin = "late_join",
        /// The child entered a new epoch.
        NewEpoch = "new_epoch",
        /// Sequences are missing.
        SequenceGap = "sequence_gap",
        /// A move that is legal only with moves nobody saw.
        UnobservedMoves = "unobserved_moves",
        /// The child has ended.
        TerminalImmutable = "terminal_immutable",
        /// The snapshot is older than what is known.
        SnapshotBehind = "snapshot_behind",
        /// The snapshot's epoch was left.
        EpochConflict = "epoch_conflict",
    }
    Warning {
        /// `external` without `adoptedAt`.
        ExternalWithoutAdoptedAt = "external_without_adopted_at",
        /// A diagnostic's state, which moves nothing.
        StateIgnored = "state_ignored",
        /// A correction that names no snapshot.
        CorrectionWithoutSnapshot = "correction_without_snapshot",
        /// A line ends in CR LF.
        Crlf = "crlf",
    }
}

impl Code {
    /// How many there are.
    pub const COUNT: usize = Code::ALL.len();

    /// Every code, in the order of the list.
    pub fn all() -> impl Iterator<Item = Code> {
        Code::ALL.iter().copied()
    }

    pub(super) fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Code {
    type Err = String;

    /// Reads a code as `--allow` takes it.
    fn from_str(text: &str) -> Result<Code, String> {
        Code::all()
            .find(|code| code.as_str() == text)
            .ok_or_else(|| "no such finding code; the man page lists them".to_owned())
    }
}
