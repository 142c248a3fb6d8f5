//! Events made by the projection itself: a loss that is inferred, a correction by a snapshot.
//! Journaled and replayed they give the same state again (SPEC section 5, Lost).

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::{Child, Projection};
use crate::event::{Event, EventView, Kind, Lineage, MAX_ID_BYTES, State};
use crate::json::push_str;
use crate::time::UtcTime;

/// An event that the projection made and took in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Synthesized {
    /// The child it is about.
    pub child: usize,
    /// The state it tells.
    pub state: State,
    /// Its time.
    pub observed_at: UtcTime,
    /// The evidence of a correction; a loss has none.
    pub snapshot_id: Option<Arc<str>>,
}

impl Synthesized {
    pub(super) fn lost(child: usize, observed_at: UtcTime) -> Synthesized {
        Synthesized {
            child,
            state: State::Lost,
            observed_at,
            snapshot_id: None,
        }
    }

    /// Appends the event as one line, LF included.
    pub fn write_event(&self, projection: &Projection, out: &mut Vec<u8>) {
        if let Some(child) = projection.children().get(self.child) {
            self.event(child).write(out);
        }
    }

    fn event<'c>(&self, child: &'c Child) -> Event<'c> {
        let details = self.snapshot_id.as_ref().map(|snapshot_id| {
            let mut details = b"{\"snapshotId\":".to_vec();
            push_str(&mut details, snapshot_id);
            details.push(b'}');
            Cow::Owned(String::from_utf8_lossy(&details).into_owned())
        });
        Event {
            event_id: Cow::Owned(self.event_id(child)),
            source: Cow::Borrowed(child.source()),
            source_epoch: Cow::Borrowed(child.epoch()),
            child_id: Cow::Borrowed(child.id()),
            lineage: lineage(child),
            kind: match self.snapshot_id {
                Some(_) => Kind::Reconciliation,
                None => Kind::Terminal,
            },
            state: Some(self.state),
            observed_at: self.observed_at,
            sequence: None,
            activity: None,
            details,
            // Those known stay known.
            capabilities: None,
        }
    }

    fn event_id(&self, child: &Child) -> String {
        match &self.snapshot_id {
            Some(snapshot_id) => bounded("reconciliation", format!("{snapshot_id}:{}", child.id())),
            None => {
                let (epoch, id, at) = (child.epoch(), child.id(), self.observed_at);
                bounded("lost", format!("lost:{epoch}:{id}:{at}"))
            }
        }
    }
}

impl Projection {
    /// Remembers the identity of an event made here, so that it is known when it comes back from
    /// a journal.
    pub(super) fn remember(&mut self, made: &Synthesized) {
        let mut line = Vec::new();
        made.write_event(self, &mut line);
        if let Ok(event) = EventView::parse(line.trim_ascii_end())
            && self.identities.get(&event).is_none()
        {
            self.identities.insert(&event);
        }
    }
}

/// Whose child it is, as far as events can say it.
fn lineage(child: &Child) -> Lineage<'_> {
    child.lineage().unwrap_or_else(|| Lineage {
        root_child_id: Cow::Borrowed(child.id()),
        attempt: 0,
        external: true,
        parent_child_id: None,
        adopted_at: Some(child.known_from_snapshot().unwrap_or(child.started_at())),
    })
}

/// An id that fits: one that is too long is told by its hash.
fn bounded(prefix: &str, id: String) -> String {
    if id.len() <= MAX_ID_BYTES {
        return id;
    }
    let mut short = format!("{prefix}:");
    for byte in Sha256::digest(id.as_bytes()) {
        // Writing into memory cannot fail.
        let _ = write!(short, "{byte:02x}");
    }
    short
}

#[cfg(test)]
mod tests {
    use super::bounded;

    #[test]
    fn an_id_that_is_too_long_is_told_by_its_hash() {
        assert_eq!(bounded("lost", "x".repeat(512)).len(), 512);
        let short = bounded("lost", "x".repeat(513));
        assert_eq!(short.len(), 5 + 64);
        assert_ne!(short, bounded("lost", "y".repeat(513)));
    }
}
