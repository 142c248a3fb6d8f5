//! `lcjournal verify`: one summary for each journal.
//!
//! A long one is looked through by several threads, a stretch each. Memory: sixteen bytes for each
//! child, the first thousand damages, and for each thread a stretch.

use std::collections::HashSet;
use std::path::Path;
use std::thread;

use lctools::exit::{Exit, Failure};
use lctools::journal::damage::Damage;
use lctools::journal::{JournalError, Judged, Leapt, child_hash};
use lctools::line::Line;
use lctools::pump::{Context, Source, pour};
use serde::Serialize;

use crate::cli::VerifyArgs;
use crate::common::{self, Listed, Reading};
use crate::progress::Progress;

/// How many damages are listed.
const LISTED: usize = 1_000;

/// More threads would only wait for the disk, and take memory.
const MAX_THREADS: usize = 8;

pub(crate) fn run(args: VerifyArgs) -> Exit {
    let settings = common::pour_settings(args.findings.options(false));
    let shown = !args.findings.findings_json;
    let mut verify = Verify {
        args,
        next: 0,
        current: None,
        exit: Exit::Done,
        threads: thread::available_parallelism().map_or(1, |count| count.get().min(MAX_THREADS)),
        progress: Progress::new(shown),
    };
    pour(settings, &mut verify)
}

struct Verify {
    args: VerifyArgs,
    /// Which PATH comes after the current one.
    next: usize,
    current: Option<(Reading, Summary)>,
    exit: Exit,
    threads: usize,
    progress: Progress,
}

impl Source for Verify {
    fn pour(&mut self, cx: &mut Context<'_>) -> Result<Option<Exit>, Failure> {
        let Some((mut reading, mut summary)) = self.current.take() else {
            let Some(path) = self.args.paths.get(self.next).cloned() else {
                return Ok(Some(self.exit));
            };
            self.next += 1;
            match Reading::open(&path, self.args.cap, self.args.lock) {
                Ok(reading) => self.current = Some((reading, Summary::of(&path))),
                Err(error) => self.fail(&error, cx),
            }
            return Ok(None);
        };
        let threads = self.threads;
        match reading.leap(self.args.cap, threads, &mut |leapt| summary.leap(leapt)) {
            Ok(true) => {
                self.progress.at(&reading);
                self.current = Some((reading, summary));
                return Ok(None);
            }
            Ok(false) => {}
            Err(error) => {
                self.progress.end();
                self.fail(&error, cx);
                return Ok(None);
            }
        }
        let advanced = reading.advance(cx, &mut |line, judged| summary.add(line, judged));
        if matches!(advanced, Ok(true)) {
            self.progress.at(&reading);
        } else {
            self.progress.end();
        }
        match advanced {
            Ok(true) => self.current = Some((reading, summary)),
            Ok(false) => {
                summary.bytes = reading.bytes();
                if summary.damage_count > 0 {
                    self.exit = self.exit.or(Exit::Damaged);
                }
                summary.write(cx.out)?;
            }
            Err(error) => self.fail(&error, cx),
        }
        Ok(None)
    }
}

impl Verify {
    /// Says why a journal has no summary; the others are still done.
    fn fail(&mut self, error: &JournalError, cx: &mut Context<'_>) {
        let failure = common::failure(error, "", cx);
        cx.findings.failure(&failure);
        self.exit = self.exit.or(failure.exit);
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    #[serde(rename = "type")]
    kind: &'static str,
    journal: String,
    ok: bool,
    entries: u64,
    bytes: u64,
    first_sequence: Option<u64>,
    last_sequence: Option<u64>,
    children: usize,
    crlf: u64,
    damage: Vec<Listed>,
    damage_count: u64,
    #[serde(skip)]
    seen: HashSet<u64>,
}

impl Summary {
    fn of(path: &Path) -> Summary {
        Summary {
            kind: "verify",
            journal: path.display().to_string(),
            ok: true,
            entries: 0,
            bytes: 0,
            first_sequence: None,
            last_sequence: None,
            children: 0,
            crlf: 0,
            damage: Vec::new(),
            damage_count: 0,
            seen: HashSet::new(),
        }
    }

    fn add(&mut self, line: &Line<'_>, judged: Judged<'_>) {
        self.crlf += u64::from(line.frame.crlf);
        let problem = match judged {
            Ok(entry) => {
                self.entries += 1;
                self.first_sequence = self.first_sequence.or(Some(entry.sequence));
                self.last_sequence = Some(entry.sequence);
                self.seen.insert(child_hash(&entry.event));
                entry.wrong_number
            }
            Err(problem) => Some(problem),
        };
        if let Some(problem) = problem {
            self.list(Damage::at(line, problem));
        }
    }

    /// The same for what was looked through by another thread.
    fn leap(&mut self, leapt: Leapt) {
        match leapt {
            Leapt::Entry { sequence, child } => {
                self.entries += 1;
                self.first_sequence = self.first_sequence.or(Some(sequence));
                self.last_sequence = Some(sequence);
                self.seen.insert(child);
            }
            Leapt::Damage(damage) => self.list(damage),
            Leapt::More(count) => self.damage_count += count,
            Leapt::Crlf(count) => self.crlf += count,
        }
    }

    fn list(&mut self, damage: Damage) {
        self.damage_count += 1;
        if self.damage.len() < LISTED {
            self.damage.push(damage.into());
        }
    }

    fn write(mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        self.ok = self.damage_count == 0;
        self.children = self.seen.len();
        serde_json::to_writer(&mut *out, &self)
            .map_err(|error| Failure::new(Exit::Internal, error))?;
        out.push(b'\n');
        Ok(())
    }
}
