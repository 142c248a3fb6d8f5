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

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use crate::exit::{Exit, Failure};
use crate::finding::{self, Class, Code, Findings, Place, Problem};
use crate::line::{Line, Lines};
use crate::time::UtcTime;
use input::{Input, Wait};
pub use output::BrokenPipe;
use output::{Output, WriteEnd};
pub use pour::{Source, pour};
pub use signal::Signals;

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

/// What a program does with its lines.
pub trait Step {
    /// A stream begins.
    ///
    /// # Errors
    ///
    /// A failure ends the program; so for all of these.
    fn open(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let _ = cx;
        Ok(())
    }

    /// One line, neither blank nor oversized. The last one may lack its LF.
    #[allow(clippy::missing_errors_doc)]
    fn line(&mut self, line: Line<'_>, cx: &mut Context<'_>) -> Result<(), Failure>;

    /// The gathered output is about to be released: make sure that it is true.
    #[allow(clippy::missing_errors_doc)]
    fn settle(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let _ = cx;
        Ok(())
    }

    /// The stream has ended.
    #[allow(clippy::missing_errors_doc)]
    fn close(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let _ = cx;
        Ok(())
    }

    /// All streams have ended: the next piece of what is to be written now, true while more is to
    /// come. Output is released in between, so that a long one is not gathered in memory.
    #[allow(clippy::missing_errors_doc)]
    fn conclude(&mut self, cx: &mut Context<'_>) -> Result<bool, Failure> {
        let _ = cx;
        Ok(false)
    }

    /// Everything is done. What is returned is merged with what the pump knows.
    #[allow(clippy::missing_errors_doc)]
    fn finish(&mut self, cx: &mut Context<'_>) -> Result<Exit, Failure> {
        let _ = cx;
        Ok(Exit::Done)
    }
}

/// What a step is given.
#[derive(Debug)]
pub struct Context<'a> {
    /// Where output goes; whole lines only.
    pub out: &'a mut Vec<u8>,
    /// Where findings go.
    pub findings: &'a mut Findings,
    /// When the bytes at hand were received.
    pub now: UtcTime,
    /// The name of the input, `-` for standard input.
    pub file: &'a str,
    /// Which of the inputs it is, from 0.
    pub file_index: usize,
    /// For waits of the step's own.
    pub signals: &'a Signals,
}

impl Context<'_> {
    /// Reports what is wrong with a line. The last bytes of a stream that has no LF get
    /// `truncated_line`, whatever is wrong with them: the writer was cut off.
    pub fn report(&mut self, line: &Line<'_>, problem: &Problem) {
        if !line.frame.terminated && problem.code.class() == Class::Invalid {
            let message = format!("the input ends inside a line: {}", problem.message);
            self.report_as(line, Code::TruncatedLine, &message);
        } else {
            self.report_as(line, problem.code, &problem.message);
        }
    }

    fn report_as(&mut self, line: &Line<'_>, code: Code, message: &str) {
        let place = Place {
            file: self.file,
            line: line.number,
        };
        self.findings.report(place, code, message, line.bytes);
    }
}

/// Runs a step over its inputs. Whatever happens is said on stderr; what is left is the status.
pub fn run(settings: Settings, step: &mut dyn Step) -> Exit {
    let mut files = settings.files.clone();
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
    exit: Exit,
}

/// A [`Context`] over the pump's fields, leaving `lines` free to be borrowed.
macro_rules! context {
    ($pump:ident, $file:expr) => {
        Context {
            out: &mut $pump.out,
            findings: &mut $pump.findings,
            now: $pump.now,
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
            if self.out.len() >= HIGH_WATER {
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
        self.now = UtcTime::now();
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
        if self.out.len() >= HIGH_WATER {
            self.release(file, step)?;
            return Ok(!self.output.ended());
        }
        loop {
            let wait = match input.wait(&self.signals, false) {
                Wait::NotReady => {
                    self.release(file, step)?;
                    if self.output.ended() {
                        return Ok(false);
                    }
                    input.wait(&self.signals, true)
                }
                ready => ready,
            };
            if let Some(number) = self.signals.ending() {
                return Err(Stop::Signal(number));
            }
            if !matches!(wait, Wait::Ready) {
                continue;
            }
            match input.read(self.lines.space()) {
                Ok(None) => {}
                Ok(Some(0)) => return Ok(false),
                Ok(Some(count)) => {
                    self.lines.filled(count);
                    self.now = UtcTime::now();
                    return Ok(true);
                }
                Err(error) => {
                    self.fail(&Failure::io(file.name.to_owned(), error));
                    return Ok(false);
                }
            }
        }
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

fn one_line(
    line: Line<'_>,
    crlf_said: &mut bool,
    step: &mut dyn Step,
    cx: &mut Context<'_>,
) -> Result<(), Failure> {
    if line.frame.crlf && !*crlf_said {
        *crlf_said = true;
        let message = "lines end in CR LF; the CR is dropped (said once for each input)";
        cx.report_as(&Line { bytes: b"", ..line }, Code::Crlf, message);
    }
    if let Some(length) = line.frame.oversized {
        let message =
            format!("a line of {length} bytes was skipped; --max-line-bytes sets the cap");
        cx.report_as(&line, Code::OversizedLine, &message);
        return Ok(());
    }
    if line.is_blank() {
        return Ok(());
    }
    let mark = cx.out.len();
    let done = step.line(line, cx);
    if done.is_err() {
        // Nothing of a line whose step failed is released.
        cx.out.truncate(mark);
    }
    done
}
