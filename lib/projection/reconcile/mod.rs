//! Reconciliation: what a snapshot or a partial view does to the children (SPEC section 5,
//! Snapshots). A snapshot corrects, adds and counts what it leaves out; a partial view only shows
//! that a child is alive.

mod evidence;

use evidence::{Evidence, Shown, diagnostic, intent, is_behind};

use super::child::{Child, Correction, Epoch};
use super::made::Synthesized;
use super::source::Seen;
use super::{Audit, Effect, Effects, Outcome, Projection, Reason, Status};
use crate::event::State;
use crate::finding::Code;
use crate::snapshot::{Listed, SnapshotView};

impl Projection {
    /// Takes in a snapshot or partial view. What follows from it is appended to `effects`.
    ///
    /// The outcome is `applied`, whatever became of the single children; or `conflict`, if the
    /// snapshot's id was used for something else.
    pub fn reconcile(&mut self, view: &SnapshotView<'_>, effects: &mut Effects) -> Outcome {
        let (source, epoch) = (&*view.source, &*view.source_epoch);
        let now = self.on_clock(view.observed_at);
        let adds = view.complete && !view.children.is_empty();
        let home = match adds {
            true => Some(self.sources.find_or_add(source, epoch, now)),
            false => self.sources.find_or_note(source, epoch, now),
        };
        let mut status = Status::Applied;
        if let Some(home) = home {
            self.observe(home, view.observed_at);
            if !self.judge_view(home, view, effects) {
                status = Status::Conflict;
            }
            self.judge_silence(home, effects);
        }
        Outcome {
            status,
            code: (status == Status::Conflict).then_some(Code::IdentityConflict),
            child: None,
        }
    }

    /// False if the id was used for something else.
    fn judge_view(&mut self, home: usize, view: &SnapshotView<'_>, effects: &mut Effects) -> bool {
        let Some(source) = self.sources.get_mut(home) else {
            return true;
        };
        let seen = source.note_snapshot(view);
        let evidence = Evidence {
            home,
            snapshot_id: (&*view.snapshot_id).into(),
            epoch: source.share_epoch(&view.source_epoch),
            observed_at: view.observed_at,
        };
        match (seen, view.complete) {
            (Seen::Otherwise, _) => return false,
            (_, false) => self.partial(view, effects),
            (seen, true) => self.snapshot(view, &evidence, seen == Seen::Never, effects),
        }
        true
    }

    /// A partial view: who is listed as known is alive.
    fn partial(&mut self, view: &SnapshotView<'_>, effects: &mut Effects) {
        for listed in &view.children {
            let Some(place) = self.find(&view.source, &listed.child_id) else {
                continue;
            };
            let child = &self.children[place];
            let was_stale = child.stale;
            let agrees = child.state == listed.state
                && !child.state.is_terminal()
                && *child.epoch == *view.source_epoch;
            if agrees {
                self.hear(place, view.observed_at);
                if self.children[place].stale != was_stale {
                    effects.changed(place);
                }
            }
        }
    }

    fn snapshot(
        &mut self,
        view: &SnapshotView<'_>,
        evidence: &Evidence,
        counts: bool,
        effects: &mut Effects,
    ) {
        let peopled = self.is_peopled(evidence);
        let mut places = Vec::with_capacity(view.children.len());
        for listed in &view.children {
            let place = match self.find(&view.source, &listed.child_id) {
                Some(place) => {
                    self.listed(place, listed, evidence, effects);
                    place
                }
                None => self.adopt(&view.source, listed, evidence, effects),
            };
            places.push(place as u32);
        }
        if !counts {
            return;
        }
        places.sort_unstable();
        let Some(source) = self.sources.get_mut(evidence.home) else {
            return;
        };
        // Nobody is added while this is gone.
        let mut open = std::mem::take(&mut source.open);
        open.retain(|place| !self.children[*place as usize].state.is_terminal());
        for place in &open {
            if places.binary_search(place).is_err()
                && view.coverage.covers(&self.children[*place as usize].id)
            {
                self.omitted(*place as usize, evidence, peopled, effects);
            }
        }
        if let Some(source) = self.sources.get_mut(evidence.home) {
            source.open = open;
        }
    }

    /// Whether a child of the source is or was in the snapshot's epoch.
    fn is_peopled(&mut self, evidence: &Evidence) -> bool {
        let Some(source) = self.sources.get_mut(evidence.home) else {
            return false;
        };
        let known = source.is_peopled(&evidence.epoch);
        if !*known {
            *known = self.children.iter().any(|child| {
                child.home as usize == evidence.home
                    && child.epoch_of(&evidence.epoch) != Epoch::New
            });
        }
        *known
    }

    /// A child that the snapshot lists.
    fn listed(
        &mut self,
        place: usize,
        listed: &Listed<'_>,
        evidence: &Evidence,
        effects: &mut Effects,
    ) {
        let child = &mut self.children[place];
        let epoch = child.epoch_of(&evidence.epoch);
        let refusal = if child.state.is_terminal() {
            if child.state == listed.state {
                let before = Shown::of(child);
                child.gap = false;
                child.clear_misses();
                if before != Shown::of(child) {
                    effects.changed(place);
                }
                return;
            }
            Some(Code::TerminalImmutable)
        } else if epoch == Epoch::Left {
            Some(Code::EpochConflict)
        } else if is_behind(child, listed, epoch, evidence.observed_at) {
            Some(Code::SnapshotBehind)
        } else {
            None
        };
        match refusal {
            Some(code) => effects.push(diagnostic(place, code, evidence)),
            None => self.take_listing(place, listed, epoch, evidence, effects),
        }
    }

    fn take_listing(
        &mut self,
        place: usize,
        listed: &Listed<'_>,
        epoch: Epoch,
        evidence: &Evidence,
        effects: &mut Effects,
    ) {
        let child = &mut self.children[place];
        let before = Shown::of(child);
        if epoch == Epoch::New {
            child.enter_epoch(evidence.epoch.clone());
        }
        child.gap = false;
        child.clear_misses();
        child.highest = listed.sequence.or(child.highest);
        child.newest = child.newest.max(evidence.observed_at);
        let from = child.state;
        if from != listed.state {
            child.state = listed.state;
            child.state_since = evidence.observed_at;
            let correction = Correction {
                snapshot_id: evidence.snapshot_id.clone(),
                from,
                to: listed.state,
                observed_at: evidence.observed_at,
            };
            effects.push(Effect::Audit(Audit {
                child: place,
                from,
                to: listed.state,
                snapshot_id: evidence.snapshot_id.clone(),
                observed_at: evidence.observed_at,
            }));
            child.rare_mut().correction = Some(correction);
            self.make(place, listed.state, evidence, effects);
        }
        self.hear(place, evidence.observed_at);
        if before != Shown::of(&self.children[place]) {
            effects.changed(place);
        }
    }

    /// A child that only the snapshot tells of.
    fn adopt(
        &mut self,
        source: &str,
        listed: &Listed<'_>,
        evidence: &Evidence,
        effects: &mut Effects,
    ) -> usize {
        let identity = self.identify(evidence.home, source, &evidence.epoch, &listed.child_id);
        let (at, heard) = (evidence.observed_at, self.on_clock(evidence.observed_at));
        let mut child = Child::new(identity, listed.state, at, heard);
        child.highest = listed.sequence;
        child.gap = true;
        child.note_snapshot(at);
        let place = self.add(child);
        self.make(place, listed.state, evidence, effects);
        self.hear(place, evidence.observed_at);
        effects.changed(place);
        place
    }

    /// An open child that the snapshot covers and does not list.
    fn omitted(&mut self, place: usize, evidence: &Evidence, peopled: bool, effects: &mut Effects) {
        let child = &mut self.children[place];
        let spoke_since = child.newest > evidence.observed_at;
        if child.epoch != evidence.epoch {
            // Another life of the source begins, or two sources share a name: one question.
            if !peopled && !spoke_since && child.note_reconnect(&evidence.epoch) {
                effects.push(intent(place, Reason::Reconnect, evidence));
            }
            return;
        }
        if spoke_since {
            effects.push(diagnostic(place, Code::SnapshotBehind, evidence));
            return;
        }
        child.misses = child.misses.saturating_add(1);
        effects.changed(place);
        let (misses, grace) = (child.misses, self.options.omission_grace);
        let was_stale = child.stale;
        if misses == grace {
            effects.push(intent(place, Reason::CompleteSnapshotMissing, evidence));
        }
        if misses >= grace && !was_stale {
            self.mark_stale(place);
        } else if was_stale && child.misses_since_stale() >= grace {
            self.lose(place, effects);
        }
    }

    /// Tells what became of a child by the snapshot as an event, which a journal can keep.
    fn make(&mut self, place: usize, state: State, evidence: &Evidence, effects: &mut Effects) {
        let made = Synthesized {
            child: place,
            state,
            observed_at: evidence.observed_at,
            snapshot_id: Some(evidence.snapshot_id.clone()),
        };
        self.remember(&made);
        effects.push(Effect::Synthesized(made));
    }
}
