//! Taking in an event that the rules accept: rule 8 of SPEC section 5.
//!
//! [`Projection::apply`] judges first (`judge`), changing nothing, and then refuses or accepts:
//! only an accepted event leaves a trace.

use std::sync::Arc;

use super::child::{Ancestry, Child, Correction, kept};
use super::judge::{Act, Plan};
use super::{Audit, Effect, Effects, Intent, Outcome, Projection, Reason, Status};
use crate::event::{EventView, Kind, Lineage, State};
use crate::finding::Code;
use crate::time::UtcTime;

impl Projection {
    /// Judges one event and, if it is accepted, takes it in. What follows from it (audits,
    /// intents, staleness) is appended to `effects`.
    pub fn apply(&mut self, event: &EventView<'_>, effects: &mut Effects) -> Outcome {
        let known = self.find(&event.source, &event.child_id);
        let home = match known {
            Some(place) => Some(self.children[place].home as usize),
            None => {
                let now = self.on_clock(event.observed_at);
                self.sources
                    .find_or_note(&event.source, &event.source_epoch, now)
            }
        };
        if let Some(home) = home {
            self.observe(home, event.observed_at);
        }
        let outcome = self.take(known, event, effects);
        let home = outcome
            .child
            .map(|place| self.children[place].home as usize)
            .or(home);
        if let Some(home) = home {
            self.judge_silence(home, effects);
        }
        outcome
    }

    /// The same, but no clock moves and nobody else is looked at.
    pub(super) fn take(
        &mut self,
        known: Option<usize>,
        event: &EventView<'_>,
        effects: &mut Effects,
    ) -> Outcome {
        match self.judge(known, event) {
            Err((status, code)) => Outcome {
                status,
                code,
                child: known,
            },
            Ok(plan) => self.accept(known, event, plan, effects),
        }
    }

    /// Rule 8.
    fn accept(
        &mut self,
        known: Option<usize>,
        event: &EventView<'_>,
        mut plan: Plan<'_>,
        effects: &mut Effects,
    ) -> Outcome {
        let place = known.unwrap_or_else(|| self.start(event, &plan));
        if plan.new_epoch {
            self.enter_epoch(place, &event.source_epoch);
            plan.code = plan.code.or(Some(Code::NewEpoch));
        } else if plan.gap {
            plan.code = plan.code.or(Some(Code::SequenceGap));
        }
        if matches!(plan.act, Act::TakeCreated) || self.children[place].lineage.is_none() {
            let lineage = self.ancestry(&event.source, &event.child_id, &event.lineage);
            self.children[place].lineage = Some(lineage);
        }
        let child = &mut self.children[place];
        match event.sequence {
            // A number of an epoch that is not entered says nothing here.
            Some(_) if plan.foreign => {
                child.rare_mut().foreign_created = Some(event.content_hash());
            }
            Some(sequence) => {
                child.highest = child.highest.max(Some(sequence));
                let hash = event.content_hash();
                child.window.insert(sequence, hash, self.options.window);
            }
            None => self.identities.insert(event),
        }
        take_in(child, event, &plan);
        move_state(child, place, event, &plan, effects);
        mark_gap(child, place, event.observed_at, &plan, effects);
        self.hear(place, event.observed_at);
        Outcome {
            status: match plan.code {
                None => Status::Applied,
                Some(_) => Status::Provisional,
            },
            code: plan.code,
            child: Some(place),
        }
    }

    /// Adds the child that this event is the first to tell of.
    fn start(&mut self, event: &EventView<'_>, plan: &Plan<'_>) -> usize {
        let (source, epoch) = (&*event.source, &*event.source_epoch);
        let now = self.on_clock(event.observed_at);
        let home = self.sources.find_or_add(source, epoch, now);
        let identity = self.identify(home, source, epoch, &event.child_id);
        let state = match plan.act {
            Act::Start(state) => state,
            _ => State::Created,
        };
        let mut child = Child::new(identity, state, event.observed_at, now);
        // What a late joiner did before is unknown; nobody needs to act on that.
        child.gap = plan.code == Some(Code::LateJoin);
        if plan.snapshot_id.is_some() {
            child.note_snapshot(event.observed_at);
        }
        if state.is_terminal() {
            note_cause(&mut child, event);
        }
        self.add(child)
    }

    fn enter_epoch(&mut self, place: usize, epoch: &str) {
        let child = &mut self.children[place];
        let epoch: Arc<str> = match self.sources.get_mut(child.home as usize) {
            Some(source) => source.share_epoch(epoch),
            None => epoch.into(),
        };
        child.enter_epoch(epoch);
    }

    pub(super) fn ancestry(&self, source: &str, id: &str, lineage: &Lineage<'_>) -> Ancestry {
        // A child is mostly its own root, or its parent is: one text serves.
        let root = match &*lineage.root_child_id {
            root if root == id => self.share_id(source, id),
            root => self.share_id(source, root),
        };
        let parent = lineage.parent_child_id.as_deref().map(|parent| {
            if *parent == *root {
                root.clone()
            } else {
                self.share_id(source, parent)
            }
        });
        Ancestry {
            root,
            parent,
            attempt: lineage.attempt,
            external: lineage.external,
            adopted_at: lineage.adopted_at,
        }
    }
}

/// What an accepted event says beside its state.
fn take_in(child: &mut Child, event: &EventView<'_>, plan: &Plan<'_>) {
    child.newest = child.newest.max(event.observed_at);
    child.clear_misses();
    if let Some(capabilities) = event.capabilities {
        child.capabilities = capabilities;
    }
    if event.kind == Kind::Created {
        child.agent = event.detail("agent").map(kept);
    }
    if matches!(plan.act, Act::TakeCreated) {
        child.rare_mut().awaits_created = false;
        return;
    }
    if event.kind == Kind::Heartbeat {
        child.note_heartbeat(event.observed_at);
    }
    if let Some(activity) = &event.activity {
        child.note_activity(activity, event.observed_at);
    }
}

/// Sets the gap mark and utters the intent that goes with its cause.
fn mark_gap(
    child: &mut Child,
    place: usize,
    observed_at: UtcTime,
    plan: &Plan<'_>,
    effects: &mut Effects,
) {
    let reason = match (plan.new_epoch, plan.gap) {
        (true, _) => Reason::Reconnect,
        // One intent for each cause: the mark stands already.
        (false, true) if !child.gap => Reason::Gap,
        _ => return,
    };
    child.gap = true;
    if reason == Reason::Reconnect && child.was_asked_about(&child.epoch) {
        return;
    }
    effects.push(Effect::Intent(Intent {
        child: place,
        reason,
        observed_at,
        snapshot_id: None,
    }));
}

fn move_state(
    child: &mut Child,
    place: usize,
    event: &EventView<'_>,
    plan: &Plan<'_>,
    effects: &mut Effects,
) {
    let (from, to) = match plan.act {
        Act::Move(to) if to != child.state => (child.state, to),
        _ => return,
    };
    child.state = to;
    child.state_since = event.observed_at;
    if to.is_terminal() {
        note_cause(child, event);
    }
    if let Some(snapshot_id) = &plan.snapshot_id {
        let (snapshot_id, observed_at) = (Arc::<str>::from(&**snapshot_id), event.observed_at);
        child.rare_mut().correction = Some(Correction {
            snapshot_id: snapshot_id.clone(),
            from,
            to,
            observed_at,
        });
        effects.push(Effect::Audit(Audit {
            child: place,
            from,
            to,
            snapshot_id,
            observed_at,
        }));
    }
}

fn note_cause(child: &mut Child, event: &EventView<'_>) {
    if let Some(cause) = event.detail("cause") {
        child.rare_mut().terminal_cause = Some(kept(cause));
    }
}
