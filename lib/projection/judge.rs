//! Judging an event: rules 1 to 7 of SPEC section 5, the first that decides.
//!
//! Nothing is changed here. The functions bear the numbers of the rules.

use std::borrow::Cow;

use super::child::{Child, Epoch};
use super::moves::{is_legal, is_reachable};
use super::{Projection, Status, identity};
use crate::event::{EventView, Kind, State};
use crate::finding::Code;

/// Why an event is refused.
pub(super) type Refusal = (Status, Option<Code>);

/// What accepting an event will do.
pub(super) struct Plan<'a> {
    /// The first code given.
    pub(super) code: Option<Code>,
    /// What it does to the child's state.
    pub(super) act: Act,
    /// It enters an epoch that is new to the child.
    pub(super) new_epoch: bool,
    /// It is of such an epoch and does not enter it: a `created` that is taken moves nothing.
    pub(super) foreign: bool,
    /// Its sequence skips some.
    pub(super) gap: bool,
    /// The evidence of a correction.
    pub(super) snapshot_id: Option<Cow<'a, str>>,
}

pub(super) enum Act {
    /// The child becomes known.
    Start(State),
    /// A child known from a snapshot takes its `created`.
    TakeCreated,
    /// The state is entered, or refreshed.
    Move(State),
    /// The state stays.
    Stay,
}

impl Projection {
    /// The first rule that decides about an event.
    pub(super) fn judge<'a>(
        &self,
        known: Option<usize>,
        event: &EventView<'a>,
    ) -> Result<Plan<'a>, Refusal> {
        let child = known.map(|place| &self.children[place]);
        self.rule_1_same_identity(child, event)?;
        let Some(child) = child else {
            return self.rule_5_unknown_child(event);
        };
        let epoch = child.epoch_of(&event.source_epoch);
        let takes_created =
            event.kind == Kind::Created && child.awaits_created() && !child.state.is_terminal();
        rule_2_epoch_left(epoch)?;
        rule_3_too_late(child, event, epoch, takes_created)?;
        rule_4_terminal(child)?;
        let skips = match (event.sequence, child.highest) {
            (Some(sequence), Some(highest)) => sequence > highest + 1,
            _ => false,
        };
        let plan = Plan {
            code: None,
            act: Act::Stay,
            new_epoch: epoch == Epoch::New && !takes_created,
            foreign: epoch == Epoch::New && takes_created,
            gap: epoch == Epoch::Current && skips && !takes_created,
            snapshot_id: None,
        };
        match event.kind {
            Kind::Created if takes_created => Ok(Plan {
                act: Act::TakeCreated,
                ..plan
            }),
            Kind::Created if took(child, event) => Err((Status::Deduplicated, None)),
            // Rule 6.
            Kind::Created => Err((Status::Conflict, Some(Code::DuplicateCreated))),
            _ => rule_7_moves(child, event, plan),
        }
    }

    fn rule_1_same_identity(
        &self,
        child: Option<&Child>,
        event: &EventView<'_>,
    ) -> Result<(), Refusal> {
        let (known, here) = match event.sequence {
            None => match self.identities.get(event) {
                Some(known) => (known, identity::bytes_hash(event)),
                None => return Ok(()),
            },
            Some(sequence) => {
                let Some(child) = child else { return Ok(()) };
                // Nothing above the highest is in the window: the usual case is decided here.
                let known = (child.highest >= Some(sequence)
                    && child.epoch_of(&event.source_epoch) == Epoch::Current)
                    .then(|| child.window.get(sequence));
                match known.flatten() {
                    Some(known) => (known, event.content_hash()),
                    None => return Ok(()),
                }
            }
        };
        Err(if known == here {
            (Status::Deduplicated, None)
        } else {
            (Status::Conflict, Some(Code::IdentityConflict))
        })
    }

    fn rule_5_unknown_child<'a>(&self, event: &EventView<'a>) -> Result<Plan<'a>, Refusal> {
        let plan = |state, code, snapshot_id| Plan {
            code,
            act: Act::Start(state),
            new_epoch: false,
            foreign: false,
            gap: false,
            snapshot_id,
        };
        match told_state(event) {
            Some(state) if event.kind == Kind::Created => Ok(plan(state, None, None)),
            Some(state) if !self.options.strict => {
                Ok(plan(state, Some(Code::LateJoin), evidence(event)))
            }
            _ => Err((Status::Rejected, Some(Code::UnknownChild))),
        }
    }
}

/// Whether this very `created` of another epoch was taken before.
fn took(child: &Child, event: &EventView<'_>) -> bool {
    let taken = child.rare.as_ref().and_then(|rare| rare.foreign_created);
    taken.is_some_and(|taken| taken == event.content_hash())
}

fn rule_2_epoch_left(epoch: Epoch) -> Result<(), Refusal> {
    match epoch {
        Epoch::Left => Err((Status::OutOfOrder, Some(Code::SupersededEpoch))),
        _ => Ok(()),
    }
}

fn rule_3_too_late(
    child: &Child,
    event: &EventView<'_>,
    epoch: Epoch,
    takes_created: bool,
) -> Result<(), Refusal> {
    let late = |code| Err((Status::OutOfOrder, Some(code)));
    match event.sequence {
        Some(sequence) if epoch == Epoch::Current && child.highest >= Some(sequence) => {
            if takes_created {
                Ok(())
            } else {
                late(Code::OldSequence)
            }
        }
        None if event.kind == Kind::Terminal
            && event.state == Some(State::Lost)
            && event.observed_at < child.newest =>
        {
            late(Code::SupersededLost)
        }
        _ => Ok(()),
    }
}

fn rule_4_terminal(child: &Child) -> Result<(), Refusal> {
    if child.state.is_terminal() {
        return Err((Status::TerminalImmutable, None));
    }
    Ok(())
}

fn rule_7_moves<'a>(
    child: &Child,
    event: &EventView<'a>,
    plan: Plan<'a>,
) -> Result<Plan<'a>, Refusal> {
    let Some(to) = told_state(event) else {
        return Ok(plan);
    };
    // Rule 6: what a snapshot told is newer than what is only now told from before it.
    let before_snapshot = child
        .known_from_snapshot()
        .is_some_and(|snapshot| event.observed_at < snapshot);
    if event.sequence.is_none() && before_snapshot {
        return Ok(plan);
    }
    let snapshot_id = evidence(event);
    let act = Act::Move(to);
    if snapshot_id.is_some() || child.state == to || is_legal(child.state, to) {
        return Ok(Plan {
            act,
            snapshot_id,
            ..plan
        });
    }
    let unobserved = child.gap || plan.gap || plan.new_epoch || child.is_external();
    if unobserved && is_reachable(child.state, to) {
        let code = Some(Code::UnobservedMoves);
        return Ok(Plan { act, code, ..plan });
    }
    Err((Status::Rejected, Some(Code::IllegalTransition)))
}

/// The state that an event tells of its child: that of a diagnostic does not count.
fn told_state(event: &EventView<'_>) -> Option<State> {
    event.state.filter(|_| event.kind != Kind::Diagnostic)
}

/// The snapshot that a correction rests upon.
fn evidence<'a>(event: &EventView<'a>) -> Option<Cow<'a, str>> {
    match event.kind {
        Kind::Reconciliation => event.snapshot_id(),
        _ => None,
    }
}
