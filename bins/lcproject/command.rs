//! One run of `--snapshot-cmd`: started, read without waiting, ended in time, always reaped.
//!
//! No shell is involved. The command has a process group of its own, so that what it started is
//! ended with it. Memory: its answer, at most [`MAX_ANSWER`] bytes.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use lctools::pump::MAX_MIXED_BYTES;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, Signal, kill_process_group};

/// The longest answer, in bytes: one line of mixed input with its LF.
const MAX_ANSWER: usize = MAX_MIXED_BYTES.get() + 1;

/// How long to wait between two looks at a command that has closed its output and still runs.
const LINGER: Duration = Duration::from_millis(20);

/// A command that runs.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    /// Its output, until that has ended.
    output: Option<File>,
    answer: Vec<u8>,
    /// When it has failed, by the pump's clock.
    deadline: Duration,
}

impl Running {
    /// Starts a command; the error says why that is not possible.
    pub(crate) fn start(
        words: &[String],
        reason: &str,
        deadline: Duration,
    ) -> Result<Self, String> {
        let (program, arguments) = words.split_first().ok_or("there is no command")?;
        let started = Command::new(program)
            .args(arguments)
            .env("LC_REASON", reason)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn();
        let mut child = started.map_err(|error| format!("{program}: {error}"))?;
        let output = child.stdout.take().map(OwnedFd::from);
        let mut running = Running {
            child,
            output: None,
            answer: Vec::new(),
            deadline,
        };
        // From here on dropping `running` ends the command.
        let output = output.ok_or("no output")?;
        let unblocked =
            fcntl_getfl(&output).and_then(|flags| fcntl_setfl(&output, flags | OFlags::NONBLOCK));
        unblocked.map_err(|error| error.to_string())?;
        running.output = Some(File::from(output));
        Ok(running)
    }

    /// What can be waited for.
    pub(crate) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.output.as_ref().map(|output| output.as_fd())
    }

    /// When to look again at the latest.
    pub(crate) fn next_look(&self, elapsed: Duration) -> Duration {
        match self.output {
            Some(_) => self.deadline,
            None => self.deadline.min(elapsed + LINGER),
        }
    }

    /// Looks what has come: the answer, or why there is none; `None` while it still runs.
    pub(crate) fn look(&mut self, elapsed: Duration) -> Option<Result<Vec<u8>, String>> {
        if let Err(error) = self.read() {
            return Some(Err(error));
        }
        if self.output.is_none() {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(self.answer(status)),
                Ok(None) => {}
                Err(error) => return Some(Err(error.to_string())),
            }
        }
        (elapsed >= self.deadline).then(|| Err("it has not answered in time".to_owned()))
    }

    fn read(&mut self) -> Result<(), String> {
        let mut piece = [0; 64 * 1024];
        while let Some(output) = &mut self.output {
            match output.read(&mut piece) {
                Ok(0) => self.output = None,
                Ok(count) => self.answer.extend(piece.iter().take(count)),
                Err(error) => match error.kind() {
                    std::io::ErrorKind::WouldBlock => return Ok(()),
                    std::io::ErrorKind::Interrupted => {}
                    _ => return Err(error.to_string()),
                },
            }
            if self.answer.len() > MAX_ANSWER {
                return Err(format!("its answer is longer than {MAX_ANSWER} bytes"));
            }
        }
        Ok(())
    }

    fn answer(&mut self, status: ExitStatus) -> Result<Vec<u8>, String> {
        if !status.success() {
            return Err(format!("it ended with {status}"));
        }
        let answer = self.answer.trim_ascii();
        if answer.is_empty() {
            return Err("it said nothing".to_owned());
        }
        if answer.contains(&b'\n') {
            return Err("it said more than one line".to_owned());
        }
        Ok(answer.to_vec())
    }
}

impl Drop for Running {
    /// Ends the command and what it started, and reaps it: no zombie is left.
    fn drop(&mut self) {
        if let Ok(Some(_)) = self.child.try_wait() {
            return;
        }
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.wait();
    }
}
