//! The step in the pump: every FILE a run, every line a native line, every finding reported.

use lctools::exit::{Exit, Failure};
use lctools::finding::{Code, Place, Problem};
use lctools::line::Line;
use lctools::pump::{BrokenPipe, Context, Settings, Step};
use lctools::time::UtcTime;

use crate::check::Tally;
use crate::cli::Cli;
use crate::clock::Clock;
use crate::excerpt::Excerpts;
use crate::identity;
use crate::native::Native;
use crate::run::{Health, Identity, Manner, Run};

/// What is asked of the pump.
pub(crate) fn settings(cli: &Cli) -> Settings {
    Settings {
        program: "evosci2lc",
        files: cli.files.clone(),
        cap: cli.max_line_bytes,
        findings: cli.findings.options(false),
        broken_pipe: BrokenPipe::Die,
    }
}

/// One program run: the streams one after the other.
#[derive(Debug)]
pub(crate) struct Convert {
    cli: Cli,
    process: u32,
    /// When the first stream was opened.
    started: Option<UtcTime>,
    stream: Option<Stream>,
    all_ok: bool,
}

/// The stream at hand.
#[derive(Debug)]
struct Stream {
    run: Run,
    /// The number of the last line that was read.
    lines: u64,
    findings_before: u64,
    /// With `--check`: the counts, and where the events go that nobody wants.
    check: Option<(Tally, Vec<u8>)>,
}

impl Convert {
    /// As the command line has it, by the process of that id.
    pub(crate) fn new(cli: Cli, process: u32) -> Convert {
        Convert {
            cli,
            process,
            started: None,
            stream: None,
            all_ok: true,
        }
    }

    fn identity(&self, started: UtcTime, file_index: usize) -> Identity {
        let cli = &self.cli;
        let epoch = match (&cli.source_epoch, cli.fixed_clock) {
            (Some(epoch), _) => epoch.clone(),
            (None, Some(_)) => format!("fixed-{}", file_index + 1),
            (None, None) => {
                let time = started.to_string().replace(['-', ':'], "");
                match cli.files.len() {
                    0 | 1 => format!("{time}-{}", self.process),
                    _ => format!("{time}-{}-{}", self.process, file_index + 1),
                }
            }
        };
        Identity {
            source: cli.source.clone(),
            child_id: cli
                .child_id
                .clone()
                .unwrap_or_else(|| identity::of_run(&epoch)),
            epoch,
            root_child_id: cli.root_child_id.clone(),
            parent_child_id: cli.parent_child_id.clone(),
            attempt: cli.attempt,
        }
    }

    fn manner(&self) -> Manner {
        Manner {
            excerpts: Excerpts {
                max: self.cli.excerpt as usize,
            },
            heartbeat_every: self.cli.heartbeat_every,
            resume: self.cli.resume,
            adopted: self.cli.adopted,
        }
    }
}

impl Stream {
    fn health(&self, cx: &Context<'_>) -> Health {
        Health {
            lines: self.lines,
            findings: cx.findings.counted() - self.findings_before,
        }
    }
}

impl Step for Convert {
    fn open(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let started = *self.started.get_or_insert(cx.now);
        let identity = self.identity(started, cx.file_index);
        let clock = Clock::new(self.cli.fixed_clock, cx.now);
        let mut check = self
            .cli
            .check
            .then(|| (Tally::new(cx.findings), Vec::new()));
        let out = match &mut check {
            Some((_, nowhere)) => nowhere,
            None => &mut *cx.out,
        };
        self.stream = Some(Stream {
            run: Run::open(identity, self.manner(), clock, out),
            lines: 0,
            findings_before: cx.findings.counted(),
            check,
        });
        Ok(())
    }

    fn line(&mut self, line: Line<'_>, cx: &mut Context<'_>) -> Result<(), Failure> {
        let Some(stream) = &mut self.stream else {
            return Ok(());
        };
        stream.lines = line.number;
        let show = self.cli.excerpt > 0;
        let quoted = Line {
            bytes: if show { line.bytes } else { b"" },
            ..line
        };
        let native = match Native::parse(line.bytes) {
            Ok(native) => native,
            Err(problem) => {
                cx.report(&quoted, &problem);
                return Ok(());
            }
        };
        if native.nonstandard {
            let message = "NaN, Infinity or half a surrogate pair; read as null or U+FFFD";
            cx.report(&quoted, &Problem::new(Code::NonstandardJson, message));
        }
        let health = stream.health(cx);
        let out = match &mut stream.check {
            Some((tally, nowhere)) => {
                tally.count(&native, show);
                nowhere.clear();
                nowhere
            }
            None => &mut *cx.out,
        };
        if let Some(problem) = stream.run.line(&native, cx.now, health, out) {
            cx.report(&quoted, &problem);
        }
        Ok(())
    }

    fn close(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let Some(mut stream) = self.stream.take() else {
            return Ok(());
        };
        let health = stream.health(cx);
        let out = match &mut stream.check {
            Some((_, nowhere)) => nowhere,
            None => &mut *cx.out,
        };
        if let Some(problem) = stream.run.close(cx.now, health, out) {
            let place = Place {
                file: cx.file,
                line: stream.lines.max(1),
            };
            cx.findings
                .report(place, problem.code, &problem.message, b"");
        }
        if let Some((tally, _)) = &stream.check {
            let (end, states) = (stream.run.end(), stream.run.states());
            self.all_ok &= tally.write(cx.file, stream.lines, cx.findings, end, &states, cx.out);
        }
        Ok(())
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Exit, Failure> {
        Ok(match self.all_ok {
            true => Exit::Done,
            false => Exit::Findings,
        })
    }
}
