//! What the verbs share: settings, failures, and reading a journal whose end may be in the making.

use std::fs::File;
use std::thread;
use std::time::Duration;

use lctools::exit::{Exit, Failure};
use lctools::finding;
use lctools::journal::damage::Damage;
use lctools::journal::lock::{LockError, LockOptions, Locker};
use lctools::journal::{
    Bounds, JournalError, JournalPath, Judged, Leapt, Place, Survey, Walk, open_for_reading,
};
use lctools::line::Line;
use lctools::pump::{BrokenPipe, Context, MAX_MIXED_BYTES, Settings};
use serde::Serialize;

use crate::cli::{CapArgs, LockArgs, StaleArgs};

pub(crate) const PROGRAM: &str = "lcjournal";

/// How long an unfinished line is given where the lock cannot be had.
const PATIENCE: Duration = Duration::from_millis(100);

/// The settings of a verb that pours out.
pub(crate) fn pour_settings(findings: finding::Options) -> Settings {
    Settings {
        program: PROGRAM,
        files: Vec::new(),
        cap: MAX_MIXED_BYTES,
        findings,
        broken_pipe: BrokenPipe::Die,
    }
}

pub(crate) fn lock_options(args: LockArgs) -> LockOptions {
    LockOptions {
        timeout: args.lock_timeout,
        ..stale_options(args.stale)
    }
}

pub(crate) fn stale_options(args: StaleArgs) -> LockOptions {
    LockOptions {
        stale_pid_only: args.stale_lock,
        ..LockOptions::default()
    }
}

/// A journal's error as a row of the exit table, and what to add to it.
pub(crate) fn failure(error: &JournalError, more: &str, cx: &Context<'_>) -> Failure {
    if error.is_stopped() {
        let exit = cx.signals.ending().map_or(Exit::LockTimeout, Exit::Signal);
        return Failure::message(exit, format_args!("ended by a signal{more}"));
    }
    Failure::message(error.exit(), format_args!("{error}{more}"))
}

/// Damage as it is listed in a summary.
#[derive(Serialize)]
pub(crate) struct Listed {
    offset: u64,
    line: u64,
    code: &'static str,
    message: String,
}

impl From<Damage> for Listed {
    fn from(damage: Damage) -> Listed {
        Listed {
            offset: damage.offset,
            line: damage.line,
            code: damage.problem.code.as_str(),
            message: damage.problem.message.into_owned(),
        }
    }
}

/// One journal being read for `replay` and `verify`.
pub(crate) struct Reading {
    path: JournalPath,
    walk: Option<Walk>,
    /// The same file, for other threads, and its length when it was opened.
    file: Option<File>,
    size: u64,
    lock: LockOptions,
}

impl Reading {
    /// Opens a journal; a missing one has no entries.
    pub(crate) fn open(
        path: &std::path::Path,
        cap: CapArgs,
        lock: LockArgs,
    ) -> Result<Reading, JournalError> {
        let path = JournalPath::resolve(path)?;
        let file = open_for_reading(&path)?;
        let again = file.as_ref().map(File::try_clone).transpose();
        let size = file.as_ref().map(File::metadata).transpose();
        let failed = |source| JournalError::Io {
            what: path.name().to_owned(),
            source,
        };
        Ok(Reading {
            size: size.map_err(failed)?.map_or(0, |found| found.len()),
            file: again.map_err(failed)?,
            walk: file.map(|file| Walk::new(file, Place::default(), cap.max_line_bytes)),
            lock: lock_options(lock),
            path,
        })
    }

    /// What mends this journal, which is damaged.
    pub(crate) fn damaged(&self, damage: Damage, cap: CapArgs, cx: &Context<'_>) -> JournalError {
        let stop = || cx.signals.ending().is_some();
        match Survey::read(&self.path, cap.max_line_bytes, &stop) {
            Ok(survey) => JournalError::Damaged {
                name: self.path.name().to_owned(),
                damage,
                remedy: survey.remedy,
            },
            Err(error) => error,
        }
    }

    /// Bytes read so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.walk.as_ref().map_or(0, |walk| walk.place().offset)
    }

    /// Reads on by whole stretches, side by side; false if there is no more than a stretch left.
    pub(crate) fn leap(
        &mut self,
        cap: CapArgs,
        threads: usize,
        each: &mut dyn FnMut(Leapt),
    ) -> Result<bool, JournalError> {
        // Once there is no whole stretch left, there is none later.
        let (Some(walk), Some(file)) = (&mut self.walk, self.file.take()) else {
            return Ok(false);
        };
        let name = self.path.name();
        let failed = |source| JournalError::Io {
            what: name.to_owned(),
            source,
        };
        let mut from = walk.place().offset;
        let mut bounds = Vec::new();
        while bounds.len() < threads
            && let Some(found) = Bounds::find(&file, from, self.size).map_err(failed)?
        {
            from = found.end();
            bounds.push(found);
        }
        let look = |bounds: Bounds| bounds.look_through(&file, cap.max_line_bytes);
        let stretches: Vec<_> = thread::scope(|scope| {
            let running: Vec<_> = bounds
                .iter()
                .map(|bounds| scope.spawn(move || look(*bounds)))
                .collect();
            let ended = running.into_iter().map(thread::ScopedJoinHandle::join);
            ended
                .map(|ended| ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        });
        for stretch in stretches {
            if !walk.leap(stretch.map_err(failed)?, each) {
                return Ok(false);
            }
        }
        if bounds.is_empty() {
            return Ok(false);
        }
        self.file = Some(file);
        Ok(true)
    }

    /// The journal's length in bytes when it was opened.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Reads on, telling `each` line; false once the journal has ended. An unfinished last line
    /// may be a writer's half-done work: it is judged again under the lock, or a little later.
    pub(crate) fn advance(
        &mut self,
        cx: &Context<'_>,
        each: &mut dyn FnMut(&Line<'_>, Judged<'_>),
    ) -> Result<bool, JournalError> {
        let Some(walk) = &mut self.walk else {
            return Ok(false);
        };
        let name = self.path.name();
        let failed = |source| JournalError::Io {
            what: name.to_owned(),
            source,
        };
        if walk.advance(each).map_err(failed)? {
            return Ok(true);
        }
        if walk.has_tail() {
            let stop = || cx.signals.ending().is_some();
            let mut locker = Locker::new(self.path.real(), self.lock).ok();
            let held = locker
                .as_mut()
                .and_then(|locker| locker.acquire(&stop).ok());
            if held.is_none() && stop() {
                return Err(JournalError::Lock(LockError::Stopped));
            }
            if held.is_none() {
                thread::sleep(PATIENCE);
            }
            walk.forget_tail();
            while walk.advance(each).map_err(failed)? {}
            walk.finish(each);
        }
        Ok(false)
    }
}
