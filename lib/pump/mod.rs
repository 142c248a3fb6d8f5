//! The one loop: reads, hands lines to a step, releases what the step wrote.
//!
//! Every program is a [`Step`] in this pump. The pump alone touches standard input and output,
//! the clock and the signals; a step is given what it needs in a [`Context`] and can be tested as
//! a function. The rules are SPEC section 2:
//!
//! * Output is released before the program would block on input, and when much has gathered;
//!   never per line while more input is waiting.
//! * A reader that leaves ends a filter by SIGPIPE, quietly ([`BrokenPipe`]).
//! * The first SIGINT means "finish when the input ends" while a pipe is read, because the agent's
//!   last lines are still to come; the second one, and SIGTERM, end at once, after
//!   [`Step::settle`].
//! * A FILE that cannot be read is said, the others are still done.
//!
//! Memory: one line buffer ([`crate::line`]) and the output gathered since the last release.

mod input;
mod output;
mod pour;
mod signal;
mod step;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::exit::{Exit, Failure};
use crate::finding::{self, Findings};
use crate::line::Lines;
use crate::time::UtcTime;
use input::{Input, Wait};
pub use output::BrokenPipe;
use output::{Output, WriteEnd};
pub use pour::{Pause, Source, pour};
pub use signal::Signals;
use step::one_line;
pub use step::{Context, Step};

/// Output gathered beyond this is released, in bytes.
const HIGH_WATER: usize = 256 * 1024;

/// The longest native line, snapshot or line of mixed input, in bytes without LF.
pub const MAX_MIXED_BYTES: NonZeroUsize = NonZeroUsize::new(16 << 20).unwrap();

/// What a program asks of the pump.
#[derive(Debug)]
pub struct Settings {
    /// The program's name, for messages.
    pub program: &'static str,
    /// The inputs in order; none means standard input, and so does `-`.
    pub files: Vec<PathBuf>,
    /// The cap for a line, in bytes without LF.
    pub cap: NonZeroUsize,
    /// How findings are said.
    pub findings: finding::Options,
    /// What happens when the reader of the output leaves.
    pub broken_pipe: BrokenPipe,
}

/// Runs a step over its inputs. Whatever happens is said on stderr; what is left is the status.
pub fn run(mut settings: Settings, step: &mut dyn Step) -> Exit {
    let mut files = std::mem::take(&mut settings.files);
    let mut pump = match Pump::new(settings) {
        Ok(pump) => pump,
        Err(exit) => return exit,
    };
    if files.is_empty() {
        files.push(PathBuf::from("-"));
    }
    match pump.run(&files, step) {
        Ok(()) => {}
        Err(Stop::Failed(failure)) => pump.fail(&failure),
        Err(Stop::Signal(number)) => pump.end_by_signal(number, &files, step),
    }
    pump.end()
}

/// Why the loop was left early.
enum Stop {
    Failed(Failure),
    Signal(u8),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Stop::Failed(failure)
    }
}

struct Pump {
    lines: Lines,
    out: Vec<u8>,
    output: Output,
    findings: Findings,
    signals: Signals,
    now: UtcTime,
    started: Instant,
    elapsed: Duration,
    exit: Exit,
}

/// A [`Context`] over the pump's fields, leaving `lines` free to be borrowed.
macro_rules! context {
    ($pump:ident, $file:expr) => {
        Context {
            out: &mut $pump.out,
            findings: &mut $pump.findings,
            now: $pump.now,
            elapsed: $pump.elapsed,
            file: $file.name,
            file_index: $file.index,
            signals: &$pump.signals,
        }
    };
}

#[derive(Clone, Copy)]
struct File<'a> {
    name: &'a str,
    index: usize,
}

impl Pump {
    fn new(settings: Settings) -> Result<Pump, Exit> {
        let mut findings = Findings::new(settings.program, settings.findings);
        let signals = match Signals::install() {
            Ok(signals) => signals,
            Err(error) => {
                findings.failure(&Failure::io("signals", error));
                return Err(Exit::Io);
            }
        };
        Ok(Pump {
            lines: Lines::new(settings.cap),
            out: Vec::new(),
            output: Output::new(settings.broken_pipe),
            findings,
            signals,
            now: UtcTime::now(),
            started: Instant::now(),
            elapsed: Duration::ZERO,
            exit: Exit::Done,
        })
    }

    /// Says the counts and gives the status; dies of SIGPIPE where a filter should.
    fn end(mut self) -> Exit {
        self.findings.finish();
        if self.output.reader_left() && self.output.ended() {
            signal::die_of_sigpipe();
        }
        self.exit.or(if self.findings.counted() > 0 {
            Exit::Findings
        } else {
            Exit::Done
        })
    }

    fn run(&mut self, files: &[PathBuf], step: &mut dyn Step) -> Result<(), Stop> {
        let mut last = File {
            name: "-",
            index: 0,
        };
        let names: Vec<_> = files.iter().map(|path| path.to_string_lossy()).collect();
        for (index, path) in files.iter().enumerate() {
            last = File {
                name: &names[index],
                index,
            };
            self.stream(path, last, step)?;
            if self.output.ended() {
                return Ok(());
            }
        }
        while step.conclude(&mut context!(self, last))? {
            if self.out.len() >= HIGH_WATER || step.is_urgent(self.elapsed) {
                self.release(last, step)?;
            }
            if self.output.ended() {
                return Ok(());
            }
        }
        let exit = step.finish(&mut context!(self, last))?;
        self.exit = self.exit.or(exit);
        self.release(last, step)
    }

    fn stream(&mut self, path: &Path, file: File<'_>, step: &mut dyn Step) -> Result<(), Stop> {
        let mut input = match Input::open(path) {
            Ok(input) => input,
            Err(error) => {
                self.fail(&Failure::io(file.name.to_owned(), error));
                return Ok(());
            }
        };
        if input.is_terminal() && path == Path::new("-") {
            self.findings
                .note("reading from the terminal; Ctrl-D ends the input, --help helps");
        }
        self.signals.defer_interrupt(input.is_pipe());
        self.lines.restart();
        self.look_at_the_clock();
        step.open(&mut context!(self, file))?;
        let mut crlf_said = false;
        while self.read(&mut input, file, step)? {
            while let Some(line) = self.lines.next_line() {
                let mut cx = context!(self, file);
                one_line(line, &mut crlf_said, step, &mut cx)?;
                if self.out.len() >= HIGH_WATER {
                    break;
                }
            }
        }
        if self.output.ended() {
            return Ok(());
        }
        if let Some(line) = self.lines.last_line() {
            one_line(line, &mut crlf_said, step, &mut context!(self, file))?;
        }
        step.close(&mut context!(self, file))?;
        Ok(())
    }

    /// Brings more bytes, or nothing when output is to be released first; false at the end of the
    /// input.
    fn read(
        &mut self,
        input: &mut Input,
        file: File<'_>,
        step: &mut dyn Step,
    ) -> Result<bool, Stop> {
        if self.out.len() >= HIGH_WATER || step.is_urgent(self.elapsed) {
            self.release(file, step)?;
            return Ok(!self.output.ended());
        }
        loop {
            let wait = match input.wait(&self.signals, Wait::LOOK) {
                Wait::NotReady => {
                    self.release(file, step)?;
                    if self.output.ended() {
                        return Ok(false);
                    }
                    self.look_at_the_clock();
                    let wait = input.wait(&self.signals, step.pause(self.elapsed));
                    self.look_at_the_clock();
                    wait
                }
                ready => ready,
            };
            if let Some(number) = self.signals.ending() {
                return Err(Stop::Signal(number));
            }
            if !matches!(wait, Wait::Ready) {
                step.tick(&mut context!(self, file))?;
                continue;
            }
            match input.read(self.lines.space()) {
                Ok(None) => {}
                Ok(Some(0)) => return Ok(false),
                Ok(Some(count)) => {
                    self.lines.filled(count);
                    self.look_at_the_clock();
                    step.tick(&mut context!(self, file))?;
                    return Ok(true);
                }
                Err(error) => {
                    self.fail(&Failure::io(file.name.to_owned(), error));
                    return Ok(false);
                }
            }
        }
    }

    fn look_at_the_clock(&mut self) {
        self.now = UtcTime::now();
        self.elapsed = self.started.elapsed();
    }

    /// Settles the step and writes what has gathered.
    fn release(&mut self, file: File<'_>, step: &mut dyn Step) -> Result<(), Stop> {
        step.settle(&mut context!(self, file))?;
        self.write()
    }

    fn write(&mut self) -> Result<(), Stop> {
        let written = self.output.write(&mut self.out, &self.signals);
        match written {
            Ok(()) => Ok(()),
            Err(WriteEnd::Signal(number)) => Err(Stop::Signal(number)),
            Err(WriteEnd::Failed(error)) => {
                let failure = Failure::io("standard output", error);
                if self.output.ended() {
                    return Err(Stop::Failed(failure));
                }
                self.fail(&failure);
                Ok(())
            }
        }
    }

    /// Says a failure and keeps its row of the exit table; what was done is still released.
    fn fail(&mut self, failure: &Failure) {
        self.findings.failure(failure);
        self.exit = self.exit.or(failure.exit);
        let _ = self.output.write(&mut self.out, &self.signals);
    }

    fn end_by_signal(&mut self, number: u8, files: &[PathBuf], step: &mut dyn Step) {
        let name = files
            .first()
            .map(|path| path.to_string_lossy())
            .unwrap_or_default();
        let file = File {
            name: &name,
            index: 0,
        };
        if let Err(failure) = step.settle(&mut context!(self, file)) {
            self.fail(&failure);
        }
        self.output.write_without_blocking(&mut self.out);
        self.exit = self.exit.or(Exit::Signal(number));
    }
}
