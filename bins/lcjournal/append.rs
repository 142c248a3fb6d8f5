//! `lcjournal append`: the step that stores events batch by batch and echoes them once stored.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use lctools::exit::{Exit, Failure};
use lctools::finding::{Code, Place, Problem};
use lctools::journal::{
    Batch, Committed, Journal, JournalError, Options, Redaction, RepairOptions, SyncMode,
};
use lctools::json::Raw;
use lctools::line::Line;
use lctools::pump::{self, BrokenPipe, Context, MAX_MIXED_BYTES, Settings, Step};
use lctools::record::Record;
use rustix::fs::{Stat, fstat, stat};

use crate::cli::{AppendArgs, SyncWhen};
use crate::common;
use crate::repair::in_words;

pub(crate) fn run(args: AppendArgs) -> Result<Exit, Failure> {
    // A write over the file size limit shall fail and be undone, not end the program in mid-line.
    let ignored = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, ignored)
        .map_err(|error| Failure::io("signals", error))?;
    let settings = Settings {
        program: common::PROGRAM,
        files: args.files.clone(),
        cap: MAX_MIXED_BYTES.max(args.cap.max_line_bytes),
        findings: args.findings.options(false),
        broken_pipe: BrokenPipe::Drop,
    };
    Ok(pump::run(settings, &mut Append::new(args)))
}

struct Append {
    args: AppendArgs,
    journal: Option<Journal>,
    batch: Batch,
    /// The last input line stored, by its input's name and number.
    stored: Option<(String, u64)>,
    /// With `--drain`: what went wrong, and how many lines were read since and not stored.
    drained: Option<(Failure, u64)>,
}

impl Append {
    fn new(args: AppendArgs) -> Append {
        // Synced entry by entry, a batch is one entry: nobody waits long for the lock.
        let batch = match args.sync {
            SyncWhen::Entry => Batch::with_limit(1),
            SyncWhen::Batch | SyncWhen::None => Batch::default(),
        };
        Append {
            args,
            journal: None,
            batch,
            stored: None,
            drained: None,
        }
    }

    /// Opens the journal and checks it, before anything is read.
    fn open_journal(&self, cx: &mut Context<'_>) -> Result<Journal, JournalError> {
        let options = Options {
            lock: common::lock_options(self.args.lock),
            sync: match self.args.sync {
                SyncWhen::None => SyncMode::None,
                SyncWhen::Batch | SyncWhen::Entry => SyncMode::Batch,
            },
            max_line_bytes: self.args.cap.max_line_bytes,
            full_replay: self.args.full_replay,
        };
        let mut journal = Journal::open(&self.args.path, options)?;
        let signals = cx.signals;
        let stop = || signals.ending().is_some();
        match journal.check(&stop) {
            Err(error) if self.mends(&error) => {
                self.repair_tail(&mut journal, cx)?;
                journal.check(&stop)?;
            }
            checked => {
                checked?;
            }
        }
        Ok(journal)
    }

    /// Whether this is for `--repair-tail`.
    fn mends(&self, error: &JournalError) -> bool {
        self.args.repair_tail && matches!(error, JournalError::Damaged { .. })
    }

    fn repair_tail(&self, journal: &mut Journal, cx: &mut Context<'_>) -> Result<(), JournalError> {
        let stop = || cx.signals.ending().is_some();
        let repaired = journal.repair(RepairOptions::default(), &stop)?;
        let name = self.args.path.display().to_string();
        if let Some(words) = in_words(&name, &repaired, false) {
            cx.findings.note(&words);
        }
        Ok(())
    }

    fn record(&mut self, line: &Line<'_>, cx: &mut Context<'_>) -> Result<(), Problem> {
        let max_event_bytes = self.args.cap.max_line_bytes.get();
        match Record::parse_within(line.bytes, max_event_bytes)? {
            Record::Event(event) => {
                for warning in event.warnings() {
                    cx.report(line, &warning);
                }
                let redaction = match self.args.no_redact {
                    true => Redaction::Off,
                    false => Redaction::On,
                };
                return self.batch.push(&event, line.number, redaction);
            }
            Record::Snapshot(fields) => check_complete(fields.text)?,
            Record::Own(_) => {}
        }
        if !self.args.quiet {
            self.batch.pass(line.bytes);
        }
        Ok(())
    }

    /// Stores the batch, then lets its echo go.
    fn commit(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let Some(mut journal) = self.journal.take() else {
            return Ok(());
        };
        let signals = cx.signals;
        let stop = || signals.ending().is_some();
        let mut appended = journal.append(&mut self.batch, &stop);
        // Another program may have died in mid-line since the last batch.
        if let Err(error) = &appended
            && self.mends(error)
        {
            appended = self
                .repair_tail(&mut journal, cx)
                .and_then(|()| journal.append(&mut self.batch, &stop));
        }
        self.journal = Some(journal);
        match appended {
            Ok(committed) => self.conclude(committed, cx),
            Err(error) => {
                let lost = self.batch.entries() as u64;
                self.batch.clear();
                let failure = self.failed(&error, cx);
                return self.hold(failure, lost, cx);
            }
        }
        self.batch.clear();
        Ok(())
    }

    fn conclude(&mut self, committed: Committed, cx: &mut Context<'_>) {
        for rejected in committed.rejected {
            let place = Place {
                file: cx.file,
                line: rejected.line,
            };
            let Problem { code, message } = rejected.problem;
            cx.findings.report(place, code, &message, &rejected.text);
        }
        if let Some(line) = self.batch.last_line_stored() {
            match &mut self.stored {
                Some((file, number)) if file == cx.file => *number = line,
                other => *other = Some((cx.file.to_owned(), line)),
            }
        }
        if !self.args.quiet {
            self.batch.echo(cx.out);
        }
    }

    /// With `--drain` a failure is said, and kept for the end.
    fn hold(&mut self, failure: Failure, lost: u64, cx: &mut Context<'_>) -> Result<(), Failure> {
        if !self.args.drain || matches!(failure.exit, Exit::Signal(_)) {
            return Err(failure);
        }
        let said = format!("{}; reading on, nothing more is stored", failure.text());
        cx.findings.note(&said);
        self.journal = None;
        self.drained = Some((failure, lost));
        Ok(())
    }

    fn failed(&self, error: &JournalError, cx: &Context<'_>) -> Failure {
        let stored = match &self.stored {
            Some((file, line)) => format!("; the last input line stored is {file}:{line}"),
            None => "; no input line was stored".to_owned(),
        };
        common::failure(error, &stored, cx)
    }
}

impl Step for Append {
    fn open(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        if self.journal.is_none() && self.drained.is_none() {
            match self.open_journal(cx) {
                Ok(journal) => self.journal = Some(journal),
                Err(error) => {
                    let failure = common::failure(&error, "; nothing was stored", cx);
                    self.hold(failure, 0, cx)?;
                }
            }
        }
        let input = match cx.file {
            "-" => fstat(rustix::stdio::stdin()),
            name => stat(name),
        };
        for (what, other) in [("input", input), ("output", fstat(rustix::stdio::stdout()))] {
            if other.is_ok_and(|other| is_same_file(other, &self.args.path)) {
                let path = self.args.path.display();
                let message = format_args!("{path}: the {what} is the journal itself");
                return Err(Failure::message(Exit::Usage, message));
            }
        }
        Ok(())
    }

    fn line(&mut self, line: Line<'_>, cx: &mut Context<'_>) -> Result<(), Failure> {
        if let Some((_, lost)) = &mut self.drained {
            *lost += 1;
            return Ok(());
        }
        if let Err(problem) = self.record(&line, cx) {
            cx.report(&line, &problem);
        }
        if self.batch.is_full() {
            self.commit(cx)?;
        }
        Ok(())
    }

    fn settle(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        self.commit(cx)
    }

    fn close(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        // Before the next input: its lines have numbers of their own.
        self.commit(cx)
    }

    fn finish(&mut self, _cx: &mut Context<'_>) -> Result<Exit, Failure> {
        match self.drained.take() {
            None => Ok(Exit::Done),
            Some((failure, lost)) => {
                let more = format!("{}; {lost} lines were read and not stored", failure.text());
                Err(Failure::message(failure.exit, more))
            }
        }
    }
}

/// A line with `children` is a snapshot or a partial view, and says which; more is not judged.
fn check_complete(text: &str) -> Result<(), Problem> {
    let complete = Raw::parse(text).ok().and_then(|raw| raw.get("complete"));
    match complete.and_then(Raw::as_bool) {
        Some(_) => Ok(()),
        None => Err(Problem::new(
            Code::SnapshotNotComplete,
            "`complete` is neither true (a snapshot) nor false (a partial view)",
        )),
    }
}

/// Whether an input or output is the file that is appended to: reading it would never end, and an
/// echo into it would come without the lock.
fn is_same_file(other: Stat, journal: &std::path::Path) -> bool {
    stat(journal)
        .is_ok_and(|journal| (journal.st_dev, journal.st_ino) == (other.st_dev, other.st_ino))
}
