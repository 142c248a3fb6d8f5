//! The one table of exit codes, and the one place where an error becomes one.
//!
//! A program's `main` hands its work to [`run`]; everything below returns a [`Failure`] that
//! already knows its row of the table. Nothing else in the toolkit ends the process, except the
//! pump, which lets a filter die of SIGPIPE as a filter should.

use std::fmt;
use std::io::Write as _;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

use crate::finding::Escaped;

/// How a program ends (SPEC section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: done, nothing to report.
    Done,
    /// 1: done, with findings counted, a failed `--check` or `--expect`, or differences.
    Findings,
    /// 2: the command line makes no sense.
    Usage,
    /// 65: the journal is damaged (`EX_DATAERR`).
    Damaged,
    /// 70: a fault in our own code (`EX_SOFTWARE`); nothing else ends so.
    Internal,
    /// 74: an input or output error (`EX_IOERR`).
    Io,
    /// 75: the lock could not be had in time (`EX_TEMPFAIL`).
    LockTimeout,
    /// 128 + n: ended by signal n.
    Signal(u8),
}

impl Exit {
    /// The status the process leaves behind.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Findings => 1,
            Exit::Usage => 2,
            Exit::Damaged => 65,
            Exit::Internal => 70,
            Exit::Io => 74,
            Exit::LockTimeout => 75,
            Exit::Signal(number) => 128_u8.saturating_add(number),
        }
    }

    /// Which of two ends is reported: what ended the program wins over what it found on the way,
    /// in the order signal, 2, 74, 75, 65, 1, 0.
    #[must_use]
    pub fn or(self, other: Exit) -> Exit {
        if other.rank() > self.rank() {
            other
        } else {
            self
        }
    }

    fn rank(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Findings => 1,
            Exit::Damaged => 2,
            Exit::LockTimeout => 3,
            Exit::Io => 4,
            Exit::Usage => 5,
            Exit::Internal => 6,
            Exit::Signal(_) => 7,
        }
    }
}

/// Something that ends the program, or spoils its end: a row of the table and what to say.
#[derive(Debug)]
pub struct Failure {
    /// The row of the table.
    pub exit: Exit,
    /// What happened and, where that helps, what to do.
    pub error: anyhow::Error,
}

impl Failure {
    /// A failure of the given row.
    pub fn new(exit: Exit, error: impl Into<anyhow::Error>) -> Failure {
        Failure {
            exit,
            error: error.into(),
        }
    }

    /// A failure of the given row, told by a message alone.
    pub fn message(exit: Exit, message: impl fmt::Display) -> Failure {
        Failure {
            exit,
            error: anyhow::anyhow!("{message}"),
        }
    }

    /// An input or output error: `what` says on what, the error says why.
    pub fn io(what: impl fmt::Display + Send + Sync + 'static, error: std::io::Error) -> Failure {
        Failure {
            exit: Exit::Io,
            error: anyhow::Error::new(error).context(what.to_string()),
        }
    }

    /// What happened and every cause of it, on one line.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{:#}", self.error)
    }
}

/// Runs a program's work and turns its end into an exit code.
///
/// A [`Failure`] is said on stderr as `PROGRAM: message`. A panic, which would be a fault of
/// ours, ends with 70 and asks for a report; the default hook has said where it happened.
pub fn run(program: &str, work: impl FnOnce() -> Result<Exit, Failure>) -> ExitCode {
    let exit = match panic::catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(exit)) => exit,
        Ok(Err(failure)) => {
            // Nobody is left to tell when stderr is gone too.
            let text = failure.text();
            let _ = writeln!(std::io::stderr(), "{program}: {}", Escaped(&text));
            failure.exit
        }
        Err(_) => {
            let _ = writeln!(
                std::io::stderr(),
                "{program}: internal error; please report it with the input that caused it"
            );
            Exit::Internal
        }
    };
    ExitCode::from(exit.code())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ended_the_program_wins_over_what_it_found() {
        assert_eq!(Exit::Findings.or(Exit::Io), Exit::Io);
        assert_eq!(Exit::Io.or(Exit::Findings), Exit::Io);
        assert_eq!(Exit::Damaged.or(Exit::Io), Exit::Io);
        assert_eq!(Exit::Damaged.or(Exit::LockTimeout), Exit::LockTimeout);
        assert_eq!(Exit::Done.or(Exit::Findings), Exit::Findings);
        assert_eq!(Exit::Io.or(Exit::Signal(15)), Exit::Signal(15));
    }

    #[test]
    fn a_panic_ends_with_its_own_code() {
        panic::set_hook(Box::new(|_| {}));
        let code = run("test", || panic!("on purpose"));
        let _ = panic::take_hook();
        assert_eq!(format!("{code:?}"), format!("{:?}", ExitCode::from(70)));
    }
}
