//! Freshness: what silence does to a child (SPEC section 5, Freshness and Lost).
//!
//! Each source has a clock: the newest time of its own records, or in live mode the time of
//! receipt. Clocks of different sources are never compared, and none is read here.
//!
//! Deadlines wait in two queues for each source. A child is in each at most once, under a
//! deadline that is never later than its own: an event only moves the child's own deadline, and
//! the queue learns of that when the old one is met. So an event costs one look at the top.

use std::cmp::Reverse;
use std::time::Duration;

use super::child::Child;
use super::made::Synthesized;
use super::source::{Queue, Source};
use super::{Effect, Effects, Intent, Projection, Reason};
use crate::event::EventView;
use crate::time::UtcTime;

/// When a record was received: live mode's clock of staleness, and what is printed for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// A clock that only runs forward.
    pub clock: UtcTime,
    /// The wall clock.
    pub wall: UtcTime,
}

impl Projection {
    /// Says when the records that follow are received; from then on that is the clock of
    /// staleness instead of their own times.
    pub fn receive(&mut self, receipt: Receipt) {
        self.receipt = Some(receipt);
    }

    /// Moves each source's clock on to `now`, never backwards, and judges every child anew.
    pub fn advance(&mut self, now: UtcTime, effects: &mut Effects) {
        for home in 0..self.sources.len() {
            if let Some(source) = self.sources.get_mut(home) {
                source.clock = source.clock.max(now);
            }
            self.judge_silence(home, effects);
        }
    }

    /// The time on the clock of staleness before which nothing becomes stale or lost unless a
    /// record comes.
    #[must_use]
    pub fn next_deadline(&self) -> Option<UtcTime> {
        let tops = |source: &Source| {
            let top = |queue: &Queue| queue.peek().map(|Reverse((deadline, _))| *deadline);
            [top(&source.silence), top(&source.answer)]
        };
        self.sources.iter().flat_map(tops).flatten().min()
    }

    /// A child's reconciliation has failed in a way that only the caller knows: it is lost, if it
    /// is stale.
    pub fn reconciliation_failed(&mut self, child: usize, effects: &mut Effects) {
        self.lose(child, effects);
    }

    /// The time of a record on the clock of staleness.
    pub(super) fn on_clock(&self, observed_at: UtcTime) -> UtcTime {
        self.receipt.map_or(observed_at, |receipt| receipt.clock)
    }

    /// Moves a source's clock on by one of its records.
    pub(super) fn observe(&mut self, home: usize, observed_at: UtcTime) {
        let now = self.on_clock(observed_at);
        if let Some(source) = self.sources.get_mut(home) {
            source.clock = source.clock.max(now);
        }
    }

    /// Something was heard of a child: it is no longer stale if that is fresh, or if it has ended.
    pub(super) fn hear(&mut self, place: usize, observed_at: UtcTime) {
        let heard = self.on_clock(observed_at);
        let child = &mut self.children[place];
        child.heard = child.heard.max(heard);
        let Some(source) = self.sources.get_mut(child.home as usize) else {
            return;
        };
        if child.state.is_terminal() {
            child.stale = false;
            return;
        }
        let silent = |limit| source.clock.since(child.heard) >= limit;
        if child.stale && !self.options.stale_after.is_some_and(silent) {
            child.stale = false;
        }
        if let (true, Some(rare)) = (child.stale, &mut child.rare) {
            // It was answered for; what it is asked about now is its silence since.
            rare.asked_at = Some(source.clock);
        }
        await_silence(child, place, source, self.options.stale_after);
    }

    /// Marks children of a source as stale, or loses them, as far as its clock says so.
    pub(super) fn judge_silence(&mut self, home: usize, effects: &mut Effects) {
        while let Some(source) = self.sources.get_mut(home) {
            if let Some(place) = due(&mut source.silence, source.clock) {
                self.children[place].queued.for_silence = false;
                self.judge_fresh(place, effects);
            } else if let Some(place) = due(&mut source.answer, source.clock) {
                self.children[place].queued.for_answer = false;
                self.judge_stale(place, effects);
            } else {
                return;
            }
        }
    }

    fn judge_fresh(&mut self, place: usize, effects: &mut Effects) {
        let child = &mut self.children[place];
        let source = self.sources.get_mut(child.home as usize);
        let (Some(source), Some(limit)) = (source, self.options.stale_after) else {
            return;
        };
        if child.stale || child.state.is_terminal() {
            return;
        }
        if source.clock.since(child.heard) < limit {
            await_silence(child, place, source, Some(limit));
            return;
        }
        let observed_at = self.receipt.map_or(source.clock, |receipt| receipt.wall);
        self.mark_stale(place);
        effects.changed(place);
        effects.push(Effect::Intent(Intent {
            child: place,
            reason: Reason::Stale,
            observed_at,
            snapshot_id: None,
        }));
    }

    fn judge_stale(&mut self, place: usize, effects: &mut Effects) {
        let child = &mut self.children[place];
        let source = self.sources.get_mut(child.home as usize);
        let asked_at = child.rare.as_ref().and_then(|rare| rare.asked_at);
        let (Some(source), Some(limit), Some(asked_at)) =
            (source, self.options.lost_after, asked_at)
        else {
            return;
        };
        if child.stale && source.clock.since(asked_at) < limit {
            await_answer(child, place, source, Some(limit));
        } else {
            self.lose(place, effects);
        }
    }

    /// Marks a child as stale; from now on it may be lost.
    pub(super) fn mark_stale(&mut self, place: usize) {
        let child = &mut self.children[place];
        let Some(source) = self.sources.get_mut(child.home as usize) else {
            return;
        };
        child.stale = true;
        let misses = child.misses;
        let rare = child.rare_mut();
        rare.asked_at = Some(source.clock);
        rare.misses_when_stale = misses;
        await_answer(child, place, source, self.options.lost_after);
    }

    /// A stale child is lost: the event that says so is made, and taken in like any other.
    pub(super) fn lose(&mut self, place: usize, effects: &mut Effects) {
        let Some(child) = self.children.get(place) else {
            return;
        };
        if !child.stale || child.state.is_terminal() {
            return;
        }
        let clock = match (self.receipt, self.sources.get(child.home as usize)) {
            (Some(receipt), _) => receipt.wall,
            (None, Some(source)) => source.clock,
            (None, None) => return,
        };
        let made = Synthesized::lost(place, whole_milliseconds(clock.max(child.newest)));
        let mut line = Vec::new();
        made.write_event(self, &mut line);
        let Ok(event) = EventView::parse(line.trim_ascii_end()) else {
            return;
        };
        if self.take(Some(place), &event, effects).status.is_accepted() {
            effects.changed(place);
            effects.push(Effect::Synthesized(made));
        }
    }
}

/// Written times are cut to milliseconds; an end must not be written as before what it follows.
fn whole_milliseconds(time: UtcTime) -> UtcTime {
    time.plus(Duration::from_nanos(999_999))
        .cut_to_milliseconds()
}

/// Takes the child on top if its deadline is met.
fn due(queue: &mut Queue, clock: UtcTime) -> Option<usize> {
    let Reverse((deadline, _)) = queue.peek()?;
    if *deadline > clock {
        return None;
    }
    queue.pop().map(|Reverse((_, place))| place as usize)
}

fn await_silence(child: &mut Child, place: usize, source: &mut Source, limit: Option<Duration>) {
    if let (Some(limit), false, false) = (limit, child.stale, child.queued.for_silence) {
        queue(&mut source.silence, place, child.heard, limit, source.clock);
        child.queued.for_silence = true;
    }
}

fn await_answer(child: &mut Child, place: usize, source: &mut Source, limit: Option<Duration>) {
    let asked_at = child.rare.as_ref().and_then(|rare| rare.asked_at);
    if let (Some(limit), Some(asked_at), false) = (limit, asked_at, child.queued.for_answer) {
        queue(&mut source.answer, place, asked_at, limit, source.clock);
        child.queued.for_answer = true;
    }
}

fn queue(queue: &mut Queue, place: usize, from: UtcTime, limit: Duration, clock: UtcTime) {
    let deadline = from.plus(limit);
    // Only at the end of year 9999 is a deadline met before its time has passed: it never comes.
    if deadline > clock || clock.since(from) >= limit {
        queue.push(Reverse((deadline, place as u32)));
    }
}
