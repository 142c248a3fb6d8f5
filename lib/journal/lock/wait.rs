//! How long to wait, and how long until the next try.

use std::time::{Duration, Instant};

use super::place::random_bytes;

const FIRST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);
/// Where the lock changes hands, it is worth asking more often.
const LONGEST_PAUSE_AFTER_CHANGE: Duration = Duration::from_millis(4);

/// In all, this many times the patience with one owner.
const IN_ALL: u32 = 20;

/// One wait for the lock, on the monotonic clock.
#[derive(Debug)]
pub(super) struct Wait {
    patience: Duration,
    started: Instant,
    changed: Instant,
    pause: Duration,
}

impl Wait {
    /// Begins, with this much patience since the owner last changed.
    pub(super) fn begin(patience: Duration) -> Wait {
        let now = Instant::now();
        Wait {
            patience,
            started: now,
            changed: now,
            pause: FIRST_PAUSE,
        }
    }

    /// The owner is another one than before.
    pub(super) fn changed(&mut self) {
        self.changed = Instant::now();
        self.pause = self.pause.min(LONGEST_PAUSE_AFTER_CHANGE);
    }

    /// Whether it has been long enough.
    pub(super) fn is_over(&self) -> bool {
        self.left().is_zero()
    }

    /// How long it has been.
    pub(super) fn so_far(&self) -> Duration {
        self.started.elapsed()
    }

    fn left(&self) -> Duration {
        let of_this_owner = self.patience.saturating_sub(self.changed.elapsed());
        let in_all = self
            .patience
            .saturating_mul(IN_ALL)
            .saturating_sub(self.started.elapsed());
        of_this_owner.min(in_all)
    }

    /// How long to wait for a wake-up before `stop` is asked again.
    pub(super) fn slice(&self) -> Duration {
        LONGEST_PAUSE.min(self.left())
    }

    /// The next pause: doubled each time, half to one and a half of that, and never past the end.
    pub(super) fn next_pause(&mut self) -> Duration {
        let [low, high] = random_bytes::<2>().unwrap_or_default();
        let share = f64::from(u16::from_le_bytes([low, high])) / f64::from(u16::MAX);
        let pause = self.pause.mul_f64(0.5 + share);
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        pause.min(self.left())
    }
}
