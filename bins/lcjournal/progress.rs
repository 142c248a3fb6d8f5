//! A progress bar on standard error, where that is a terminal and the work is long.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::common::Reading;

/// Journals shorter than this are done before anybody looks.
const LONG: u64 = 64 << 20;

/// How often it is drawn, at most, in a second.
const PER_SECOND: u8 = 10;

/// The progress through one journal at a time.
pub(crate) struct Progress {
    shown: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// `shown`: whether standard error is for people.
    pub(crate) fn new(shown: bool) -> Progress {
        let terminal = rustix::termios::isatty(rustix::stdio::stderr());
        Progress {
            shown: shown && terminal,
            bar: None,
        }
    }

    /// Says how far a journal was read.
    pub(crate) fn at(&mut self, reading: &Reading) {
        if !self.shown || reading.size() < LONG {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| bar(reading.size()));
        bar.set_position(reading.bytes());
    }

    /// Clears the bar, so that something else can be said.
    pub(crate) fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
    }
}

fn bar(size: u64) -> ProgressBar {
    let target = ProgressDrawTarget::stderr_with_hz(PER_SECOND);
    let bar = ProgressBar::with_draw_target(Some(size), target);
    let template = "{bar:30} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
