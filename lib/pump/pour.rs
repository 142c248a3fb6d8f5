//! The pump for a program that reads no stream of lines: it pours out what it finds elsewhere.
//!
//! The same output, signals and broken pipes as [`super::run`]; the program does its work a piece
//! at a time, so that a signal is heard between two pieces. SIGINT ends it at once: no agent's
//! last lines are to come.

use std::os::fd::BorrowedFd;
use std::time::Duration;

use super::{Context, Exit, HIGH_WATER, Pump, Settings, Stop};
use crate::exit::Failure;

/// What is poured out.
pub trait Source {
    /// Does a piece of the work and appends what it gives to `cx.out`. `None`: there is more.
    ///
    /// # Errors
    ///
    /// A failure ends the program; what was appended before is still written.
    fn pour(&mut self, cx: &mut Context<'_>) -> Result<Option<Exit>, Failure>;

    /// What to wait for before the next piece; what was poured is written first. `None`: nothing.
    fn pause(&self) -> Option<Pause<'_>> {
        None
    }
}

/// A wait, which a signal or a reader that leaves ends too.
#[derive(Clone, Copy, Debug)]
pub struct Pause<'a> {
    /// Ends when this can be read.
    pub fd: Option<BorrowedFd<'a>>,
    /// Ends after this.
    pub most: Duration,
}

/// Pours until the source has no more. Of the settings, `files` is not used.
pub fn pour(settings: Settings, source: &mut dyn Source) -> Exit {
    let mut pump = match Pump::new(settings) {
        Ok(pump) => pump,
        Err(exit) => return exit,
    };
    match pump.pour(source) {
        Ok(()) => {}
        Err(Stop::Failed(failure)) => pump.fail(&failure),
        Err(Stop::Signal(number)) => {
            pump.output.write_without_blocking(&mut pump.out);
            pump.exit = pump.exit.or(Exit::Signal(number));
        }
    }
    pump.end()
}

impl Pump {
    fn pour(&mut self, source: &mut dyn Source) -> Result<(), Stop> {
        loop {
            let mut cx = Context {
                out: &mut self.out,
                findings: &mut self.findings,
                now: self.now,
                elapsed: self.elapsed,
                file: "-",
                file_index: 0,
                signals: &self.signals,
            };
            let done = source.pour(&mut cx)?;
            if done.is_some() || self.out.len() >= HIGH_WATER {
                self.write()?;
            }
            if let Some(exit) = done {
                self.exit = self.exit.or(exit);
                return Ok(());
            }
            if self.output.ended() {
                return Ok(());
            }
            if let Some(pause) = source.pause() {
                self.write()?;
                self.output.wait(&self.signals, pause);
                if self.output.ended() {
                    return Ok(());
                }
            }
            if let Some(number) = self.signals.ending() {
                return Err(Stop::Signal(number));
            }
        }
    }
}
