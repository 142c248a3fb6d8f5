//! Why an event was not simply applied, in words.

use lctools::event::EventView;
use lctools::finding::Code;
use lctools::projection::Child;
use lctools::snapshot::SnapshotView;

/// The message for an outcome. `child` is the child as it is after the event.
pub(crate) fn message(code: Code, event: &EventView<'_>, child: Option<&Child>) -> String {
    let id = &*event.child_id;
    let epoch = &*event.source_epoch;
    let now = child.map_or("unknown", |child| child.state().as_str());
    let state = event.state.map_or("nothing", |state| state.as_str());
    match code {
        Code::IdentityConflict => match event.sequence {
            Some(sequence) => format!("`{id}` has told something else as its number {sequence}"),
            None => format!("the id `{}` was used for something else", event.event_id),
        },
        Code::DuplicateCreated => {
            format!("`{id}` exists already; a retry is a child of its own")
        }
        Code::IllegalTransition => format!("`{id}` cannot go from {now} to {state}"),
        Code::UnknownChild => format!("nothing has been told of `{id}` that could start it"),
        Code::SupersededEpoch => format!("`{id}` has left the epoch `{epoch}`"),
        Code::SupersededLost => format!("`{id}` was called lost, but has been heard of since"),
        Code::OldSequence => format!("`{id}` is past number {}", number(event.sequence)),
        Code::LateJoin => format!("`{id}` is known only from {state} on"),
        Code::NewEpoch => format!("`{id}` enters the epoch `{epoch}`"),
        Code::SequenceGap => {
            format!(
                "numbers of `{id}` are missing before {}",
                number(event.sequence)
            )
        }
        Code::UnobservedMoves => format!("`{id}` came to {state} by moves that nobody saw"),
        Code::TerminalImmutable => format!("`{id}` has ended as {now}"),
        other => format!("`{id}`: {other}"),
    }
}

/// The message for a snapshot whose id was used for something else.
pub(crate) fn snapshot_conflict(view: &SnapshotView<'_>) -> String {
    let id = &view.snapshot_id;
    format!("the snapshot id `{id}` was used for something else; the snapshot is ignored")
}

/// The message for a child of which a snapshot says something that is not taken.
pub(crate) fn listing(code: Code, child: &Child) -> String {
    let (id, now) = (child.id(), child.state());
    match code {
        Code::TerminalImmutable => format!("`{id}` has ended as {now}; no snapshot changes that"),
        Code::SnapshotBehind => format!("`{id}` has been heard of since the snapshot was taken"),
        Code::EpochConflict => format!("`{id}` has left the snapshot's epoch"),
        other => format!("`{id}`: {other}"),
    }
}

fn number(sequence: Option<u64>) -> String {
    sequence.map_or_else(|| "none".to_owned(), |sequence| sequence.to_string())
}
