//! `--live`: the clock of receipt, and the questions put to `--snapshot-cmd`.
//!
//! One command runs at a time. Questions that come meanwhile become one, asked when it has ended.

use std::time::Duration;

use lctools::projection::{Effect, Effects, Reason, Receipt};
use lctools::pump::Pause;
use lctools::time::UtcTime;

use crate::cli::LiveArgs;
use crate::command::Running;

/// Why a snapshot is asked for, the weakest first: of several at once the strongest is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Asking {
    SessionOpen,
    Periodic,
    Reconnect,
    Stale,
}

impl Asking {
    fn as_str(self) -> &'static str {
        match self {
            Asking::SessionOpen => "session_open",
            Asking::Periodic => "periodic",
            Asking::Reconnect => "reconnect",
            Asking::Stale => "stale",
        }
    }
}

/// What has become of a question.
#[derive(Debug)]
pub(crate) enum Answer {
    /// A line, to be taken for a snapshot or partial view.
    Line(Vec<u8>),
    /// None came, and why.
    Failed(String),
}

/// Live mode's state.
#[derive(Debug)]
pub(crate) struct Live {
    /// Where the clock of receipt begins.
    origin: UtcTime,
    command: Option<Vec<String>>,
    every: Option<Duration>,
    next_periodic: Option<Duration>,
    timeout: Duration,
    running: Option<(Running, Asking)>,
    /// The question to be asked next.
    pending: Option<Asking>,
    /// Stale children that the next question is about, and the present one.
    waiting: Vec<usize>,
    asked: Vec<usize>,
}

impl Live {
    pub(crate) fn new(args: &LiveArgs, origin: UtcTime) -> Live {
        Live {
            origin,
            command: args.snapshot_cmd.as_deref().and_then(shlex::split),
            every: args.snapshot_every,
            next_periodic: args.snapshot_every,
            timeout: args.snapshot_timeout,
            running: None,
            pending: Some(Asking::SessionOpen),
            waiting: Vec::new(),
            asked: Vec::new(),
        }
    }

    /// The time of receipt: a clock that nobody sets, and the wall's.
    pub(crate) fn receipt(&self, elapsed: Duration, wall: UtcTime) -> Receipt {
        Receipt {
            clock: self.origin.plus(elapsed),
            wall,
        }
    }

    /// Notes which of the effects are questions.
    pub(crate) fn note(&mut self, effects: &Effects) {
        if self.command.is_none() {
            return;
        }
        for effect in effects.told() {
            let Effect::Intent(intent) = effect else {
                continue;
            };
            match intent.reason {
                Reason::Gap | Reason::Reconnect => self.ask(Asking::Reconnect),
                Reason::Stale => {
                    // What it was asked about before is settled: it has been heard of since.
                    self.asked.retain(|child| *child != intent.child);
                    self.waiting.push(intent.child);
                    self.ask(Asking::Stale);
                }
                // The source has been asked: its snapshots are the answer.
                Reason::CompleteSnapshotMissing => {}
            }
        }
    }

    fn ask(&mut self, asking: Asking) {
        self.pending = self.pending.max(Some(asking));
    }

    /// Lets time pass: starts what is to be asked, and gives the answer that has come.
    pub(crate) fn tick(&mut self, elapsed: Duration) -> Option<Answer> {
        if let Some(every) = self.every
            && self.next_periodic.is_some_and(|next| next <= elapsed)
        {
            self.next_periodic = Some(elapsed + every);
            self.ask(Asking::Periodic);
        }
        if let Some((running, asking)) = &mut self.running {
            let answer = running.look(elapsed)?;
            let asking = *asking;
            self.running = None;
            return Some(match answer {
                Ok(line) => Answer::Line(line),
                Err(why) => Answer::Failed(why_none(asking, &why)),
            });
        }
        let (Some(words), Some(asking)) = (&self.command, self.pending) else {
            return None;
        };
        self.pending = None;
        self.asked = std::mem::take(&mut self.waiting);
        match Running::start(words, asking.as_str(), elapsed + self.timeout) {
            Ok(running) => {
                self.running = Some((running, asking));
                None
            }
            Err(why) => Some(Answer::Failed(why_none(asking, &why))),
        }
    }

    /// The stale children that the question was about, which has been answered or has failed.
    pub(crate) fn take_asked(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.asked)
    }

    /// Whether something is to be asked at once.
    pub(crate) fn is_due(&self) -> bool {
        self.command.is_some() && self.running.is_none() && self.pending.is_some()
    }

    /// What ends a wait; `deadline` is the projection's, on the clock of receipt, `frame` when the
    /// screen is to be drawn.
    pub(crate) fn pause(
        &self,
        deadline: Option<UtcTime>,
        frame: Option<Duration>,
        elapsed: Duration,
    ) -> Option<Pause<'_>> {
        if self.is_due() {
            let most = Duration::ZERO;
            return Some(Pause { fd: None, most });
        }
        let now = self.origin.plus(elapsed);
        let silence = deadline.map(|deadline| deadline.since(now));
        let running = self.running.as_ref().map(|(running, _)| running);
        let command = running.map(|running| running.next_look(elapsed).saturating_sub(elapsed));
        let periodic = self.next_periodic.map(|next| next.saturating_sub(elapsed));
        let frame = frame.map(|frame| frame.saturating_sub(elapsed));
        let waits = [silence, command, periodic, frame];
        let most = waits.into_iter().flatten().min()?;
        Some(Pause {
            fd: running.and_then(Running::fd),
            // Whole milliseconds: a wait that ends a little early would only be begun again.
            most: most + Duration::from_millis(1),
        })
    }

    /// The input has ended: a running command is ended, and nothing is inferred from that.
    pub(crate) fn end(&mut self) {
        self.running = None;
        self.pending = None;
    }
}

fn why_none(asking: Asking, why: &str) -> String {
    format!(
        "no snapshot from --snapshot-cmd ({}): {why}",
        asking.as_str()
    )
}
