//! A child taken back from its progress record, so that snapshots can be held against records.
//!
//! What a record does not tell is unknown again: the epochs left, the hashes of recent sequences,
//! whether a snapshot told of the child first, since when it is stale.

use std::sync::Arc;

use super::Projection;
use super::child::{Child, Correction, kept};
use crate::event::Extra;
use crate::event::read::{capabilities, integer, lineage, required, state, string, time};
use crate::event::{check_id, invalid};
use crate::finding::Problem;
use crate::json::{Kind, Raw};
use crate::time::UtcTime;

/// The members of a progress record.
#[derive(Clone, Copy, Debug, Default)]
struct Members<'a> {
    source: Option<Raw<'a>>,
    source_epoch: Option<Raw<'a>>,
    child_id: Option<Raw<'a>>,
    state: Option<Raw<'a>>,
    observed_at: Option<Raw<'a>>,
    state_since: Option<Raw<'a>>,
    started_at: Option<Raw<'a>>,
    lineage: Option<Raw<'a>>,
    capabilities: Option<Raw<'a>>,
    last_sequence: Option<Raw<'a>>,
    last_activity: Option<Raw<'a>>,
    last_heartbeat_at: Option<Raw<'a>>,
    stale: Option<Raw<'a>>,
    gap: Option<Raw<'a>>,
    misses: Option<Raw<'a>>,
    terminal_cause: Option<Raw<'a>>,
    correction: Option<Raw<'a>>,
    agent: Option<Raw<'a>>,
}

impl<'a> Members<'a> {
    fn of(record: Raw<'a>) -> Members<'a> {
        let mut members = Members::default();
        for member in record.members() {
            let slot = match &*member.key {
                "source" => &mut members.source,
                "sourceEpoch" => &mut members.source_epoch,
                "childId" => &mut members.child_id,
                "state" => &mut members.state,
                "observedAt" => &mut members.observed_at,
                "stateSince" => &mut members.state_since,
                "startedAt" => &mut members.started_at,
                "lineage" => &mut members.lineage,
                "capabilities" => &mut members.capabilities,
                "lastSequence" => &mut members.last_sequence,
                "lastActivity" => &mut members.last_activity,
                "lastHeartbeatAt" => &mut members.last_heartbeat_at,
                "stale" => &mut members.stale,
                "gapDetected" => &mut members.gap,
                "misses" => &mut members.misses,
                "terminalCause" => &mut members.terminal_cause,
                "correction" => &mut members.correction,
                "agent" => &mut members.agent,
                _ => continue,
            };
            *slot = Some(member.value);
        }
        members
    }
}

impl Projection {
    /// Takes a child back from its progress record; a child known already is replaced. Returns
    /// the child's place.
    ///
    /// # Errors
    ///
    /// `missing_field`, `invalid_field` and what is wrong with times, by the rules for events.
    pub fn restore(&mut self, record: Raw<'_>) -> Result<usize, Problem> {
        let members = Members::of(record);
        let child = self.child_of(&members)?;
        let place = match self.find(&child.source, &child.id) {
            Some(place) => {
                let known = &mut self.children[place];
                let queued = known.queued;
                *known = child;
                known.queued = queued;
                place
            }
            None => self.add(child),
        };
        if self.children[place].stale {
            // Since when is unknown: the misses are counted from the grace on, or from now.
            let grace = self.options.omission_grace;
            self.mark_stale(place);
            let rare = self.children[place].rare_mut();
            rare.misses_when_stale = rare.misses_when_stale.min(grace);
        }
        Ok(place)
    }

    fn child_of(&mut self, members: &Members<'_>) -> Result<Child, Problem> {
        let source = string("source", members.source)?;
        check_id("source", &source)?;
        let epoch = string("sourceEpoch", members.source_epoch)?;
        check_id("sourceEpoch", &epoch)?;
        let id = string("childId", members.child_id)?;
        check_id("childId", &id)?;
        let newest = instant("observedAt", members.observed_at)?;
        let since = |field, raw: Option<Raw<'_>>| match raw {
            Some(raw) => instant(field, Some(raw)),
            None => Ok(newest),
        };
        let lineage = match members.lineage.filter(|raw| raw.kind() != Kind::Null) {
            Some(raw) => Some(lineage(raw, &mut Extra::default())?.0),
            None => None,
        };
        let home = self.sources.find_or_add(&source, &epoch, newest);
        self.observe(home, newest);
        let identity = self.identify(home, &source, &epoch, &id);
        let now = state(required("state", members.state)?)?;
        let mut child = Child::new(identity, now, newest, newest);
        child.lineage = lineage.map(|lineage| self.ancestry(&source, &id, &lineage));
        if let Some(raw) = members.capabilities {
            child.capabilities = capabilities(raw, &mut Extra::default())?;
        }
        child.started_at = since("startedAt", members.started_at)?;
        child.state_since = since("stateSince", members.state_since)?;
        if let Some(raw) = members.last_heartbeat_at {
            child.last_heartbeat_at = Some(instant("lastHeartbeatAt", Some(raw))?);
        }
        if let Some(raw) = members.last_sequence {
            child.highest = Some(integer("lastSequence", raw)?);
        }
        child.stale = flag("stale", members.stale)?;
        child.gap = flag("gapDetected", members.gap)?;
        if let Some(raw) = members.misses {
            child.misses = u32::try_from(integer("misses", raw)?).unwrap_or(u32::MAX);
        }
        child.agent = members.agent.map(kept);
        if let Some(activity) = members.last_activity {
            child.note_activity(&string("lastActivity", Some(activity))?, newest);
        }
        if let Some(cause) = members.terminal_cause {
            child.rare_mut().terminal_cause = Some(kept(cause));
        }
        if let Some(raw) = members.correction {
            child.rare_mut().correction = Some(correction(raw)?);
        }
        if child.lineage.is_none() {
            // Only a snapshot tells of a child without saying whose it is.
            child.note_snapshot(child.started_at);
        }
        Ok(child)
    }
}

fn instant(field: &str, raw: Option<Raw<'_>>) -> Result<UtcTime, Problem> {
    time(field, required(field, raw)?).map(|(instant, _)| instant)
}

fn flag(field: &str, raw: Option<Raw<'_>>) -> Result<bool, Problem> {
    match raw {
        Some(raw) => raw
            .as_bool()
            .ok_or_else(|| invalid(field, "is not true or false")),
        None => Ok(false),
    }
}

fn correction(raw: Raw<'_>) -> Result<Correction, Problem> {
    let snapshot_id = string("correction.snapshotId", raw.get("snapshotId"))?;
    Ok(Correction {
        snapshot_id: Arc::from(&*snapshot_id),
        from: state(required("correction.from", raw.get("from"))?)?,
        to: state(required("correction.to", raw.get("to"))?)?,
        observed_at: instant("correction.observedAt", raw.get("observedAt"))?,
    })
}
