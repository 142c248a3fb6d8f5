//! The time of an event: receipt, or a clock that only events advance.
//!
//! The native stream carries no time. So `observedAt` is when the line was received, never
//! earlier than the event before, whatever the system's clock does meanwhile.

use std::time::Duration;

use lctools::time::UtcTime;

use crate::cli::FixedClock;

#[derive(Clone, Debug)]
pub(crate) struct Clock {
    fixed: Option<FixedClock>,
    events: u64,
    now: UtcTime,
}

impl Clock {
    /// A clock that has just received its first bytes.
    pub(crate) fn new(fixed: Option<FixedClock>, receipt: UtcTime) -> Clock {
        let now = fixed.map_or(receipt, |fixed| fixed.start);
        Clock {
            fixed,
            events: 0,
            now,
        }
    }

    /// Something was received.
    pub(crate) fn receive(&mut self, receipt: UtcTime) {
        if self.fixed.is_none() {
            self.now = self.now.max(receipt);
        }
    }

    /// The time.
    pub(crate) fn now(&self) -> UtcTime {
        self.now
    }

    /// The time of the next event.
    pub(crate) fn stamp(&mut self) -> UtcTime {
        let now = self.now;
        self.events += 1;
        if let Some(fixed) = self.fixed {
            let nanos = fixed
                .step
                .as_nanos()
                .saturating_mul(u128::from(self.events));
            let nanos = u64::try_from(nanos).unwrap_or(u64::MAX);
            self.now = fixed.start.plus(Duration::from_nanos(nanos));
        }
        now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> UtcTime {
        UtcTime::parse(text).unwrap()
    }

    #[test]
    fn a_clock_that_is_set_back_stands_still() {
        let mut clock = Clock::new(None, time("2026-08-24T09:00:05Z"));
        clock.receive(time("2026-08-24T09:00:01Z"));
        assert_eq!(clock.stamp(), time("2026-08-24T09:00:05Z"));
        clock.receive(time("2026-08-24T09:00:06Z"));
        assert_eq!(clock.stamp(), time("2026-08-24T09:00:06Z"));
    }

    #[test]
    fn a_fixed_clock_counts_events_only() {
        let start = time("2026-08-24T09:00:00Z");
        let step = Duration::from_secs(2);
        let mut clock = Clock::new(
            Some(FixedClock { start, step }),
            time("2030-01-01T00:00:00Z"),
        );
        clock.receive(time("2031-01-01T00:00:00Z"));
        assert_eq!(clock.stamp(), start);
        assert_eq!(clock.now(), time("2026-08-24T09:00:02Z"));
        assert_eq!(clock.stamp(), time("2026-08-24T09:00:02Z"));
    }
}
