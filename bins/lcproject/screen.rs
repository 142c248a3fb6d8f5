//! `--live --tree` on a terminal: the tree drawn over itself, frame by frame.
//!
//! A frame is drawn when something has changed, at most ten times a second, and once a second while
//! a child is open, whose time goes on. The cursor is never hidden and stays below the frame, no
//! other screen is entered and no mode is set: however the program ends, nothing is to be restored.
//!
//! Memory: 32 bytes for each child, and one frame, which is no larger than the screen.

use std::time::Duration;

use lctools::projection::{Child, Projection};
use lctools::time::UtcTime;

use crate::look::Look;
use crate::tree::Tree;

/// The shortest time between two frames, for a tree of ordinary size.
const SHORTEST: Duration = Duration::from_millis(100);

/// What each child adds to that: a large tree is drawn less often, so that work goes on.
const FOR_EACH_CHILD: Duration = Duration::from_micros(5);

/// How often the times of open children are drawn anew.
const SECOND: Duration = Duration::from_secs(1);

/// What a terminal that does not tell its size is taken for.
const UNKNOWN: (usize, usize) = (80, 24);

/// The frames of a tree.
#[derive(Debug)]
pub(crate) struct Screen {
    drawn: Drawn,
    columns: usize,
    changed: bool,
    /// A child is open.
    ticking: bool,
    last: Duration,
    /// No frame before this.
    next: Duration,
    /// How many lines stood on stderr when the last frame was drawn.
    said: u64,
    heard: Vec<Heard>,
    ending: Ending,
}

/// The way to the end: what was drawn is taken away, and that is released before more is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    NotYet,
    TakenAway,
    Released,
}

/// When a child was first seen to have been heard of at a time of its own clock.
#[derive(Clone, Copy, Debug)]
struct Heard {
    observed_at: UtcTime,
    elapsed: Duration,
}

impl Screen {
    /// A screen with nothing drawn yet.
    pub(crate) fn new() -> Screen {
        Screen {
            drawn: Drawn::default(),
            columns: 0,
            changed: true,
            ticking: false,
            last: Duration::ZERO,
            next: Duration::ZERO,
            said: 0,
            heard: Vec::new(),
            ending: Ending::NotYet,
        }
    }

    /// Something may look otherwise than it was drawn.
    pub(crate) fn change(&mut self) {
        self.changed = true;
    }

    /// When the next frame is to be drawn; `None`: not before something changes.
    pub(crate) fn due(&self) -> Option<Duration> {
        if self.changed {
            return Some(self.next);
        }
        self.ticking.then(|| self.next.max(self.last + SECOND))
    }

    /// The output is about to be released: draws a frame if one is due. `said` is how
    /// many lines stand on stderr now.
    pub(crate) fn draw(
        &mut self,
        projection: &Projection,
        look: &mut Look,
        elapsed: Duration,
        said: u64,
        out: &mut Vec<u8>,
    ) {
        if self.ending != Ending::NotYet {
            self.ending = Ending::Released;
            return;
        }
        if self.due().is_none_or(|due| due > elapsed) {
            return;
        }
        look.measure();
        let (columns, rows) = (
            look.columns.unwrap_or(UNKNOWN.0),
            look.rows.unwrap_or(UNKNOWN.1),
        );
        look.columns = Some(columns);
        if columns < self.columns {
            // A terminal may have broken the rows that are too wide now.
            self.drawn.leave();
        }
        self.leave_what_was_said(look, said);
        self.columns = columns;
        let children = projection.children();
        let mut tree = Tree::new(projection).with_silences(self.silences(children, elapsed));
        let mut frame = Vec::new();
        let lines = tree.write_screen(children, look, rows.saturating_sub(1).max(1), &mut frame);
        self.drawn.show(frame, lines, out);
        self.changed = false;
        self.ticking = children.iter().any(|child| !child.state().is_terminal());
        self.last = elapsed;
        let children = u32::try_from(children.len()).unwrap_or(u32::MAX);
        self.next = elapsed + SHORTEST.max(FOR_EACH_CHILD * children);
    }

    /// The input has ended: what was drawn is taken away. True the first time.
    pub(crate) fn end(&mut self, look: &Look, said: u64, out: &mut Vec<u8>) -> bool {
        if self.ending != Ending::NotYet {
            return false;
        }
        self.ending = Ending::TakenAway;
        self.leave_what_was_said(look, said);
        self.drawn.take_away(out);
        true
    }

    /// Whether the output is to be released now: what is said later on stderr must find the cursor
    /// where it is thought to be.
    pub(crate) fn is_urgent(&self, elapsed: Duration) -> bool {
        match self.ending {
            Ending::NotYet => self.due().is_some_and(|due| due <= elapsed),
            Ending::TakenAway => true,
            Ending::Released => false,
        }
    }

    /// What stands on stderr below the frame stays there: the next frame is drawn below that.
    fn leave_what_was_said(&mut self, look: &Look, said: u64) {
        if look.shares_stderr && said != self.said {
            self.drawn.leave();
        }
        self.said = said;
    }

    /// For how long nothing was heard of each child, by the clock that nobody sets.
    fn silences(&mut self, children: &[Child], elapsed: Duration) -> Vec<Duration> {
        for child in children.iter().skip(self.heard.len()) {
            let observed_at = child.observed_at();
            self.heard.push(Heard {
                observed_at,
                elapsed,
            });
        }
        let silence = |(heard, child): (&mut Heard, &Child)| {
            let observed_at = child.observed_at();
            if heard.observed_at != observed_at {
                *heard = Heard {
                    observed_at,
                    elapsed,
                };
            }
            elapsed.saturating_sub(heard.elapsed)
        };
        self.heard.iter_mut().zip(children).map(silence).collect()
    }
}

/// What stands on the screen, and how to write over it.
#[derive(Debug, Default)]
struct Drawn {
    frame: Vec<u8>,
    lines: usize,
}

impl Drawn {
    /// Writes a frame over the last one; nothing if it is the same.
    fn show(&mut self, frame: Vec<u8>, lines: usize, out: &mut Vec<u8>) {
        if frame == self.frame {
            return;
        }
        self.take_away(out);
        out.extend_from_slice(&frame);
        (self.frame, self.lines) = (frame, lines);
    }

    /// Goes up to where the last frame begins and clears the screen from there.
    fn take_away(&mut self, out: &mut Vec<u8>) {
        if self.lines > 0 {
            out.extend_from_slice(format!("\x1b[{}F\x1b[J", self.lines).as_bytes());
        }
        self.leave();
    }

    /// The last frame stays where it is.
    fn leave(&mut self) {
        self.frame.clear();
        self.lines = 0;
    }
}

#[cfg(test)]
mod tests;
