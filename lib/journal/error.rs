//! What can go wrong with a journal, and which row of the exit table it is.

use std::error::Error;
use std::fmt;
use std::io;

use super::damage::Damage;
use super::lock::LockError;
use super::repair::{Remedy, Survey};
use crate::exit::Exit;

/// Why a journal could not be read or appended to.
#[derive(Debug)]
pub enum JournalError {
    /// PATH is a directory, a FIFO, a device (exit 2).
    NotAFile {
        /// The PATH as it was given.
        name: String,
        /// What it is.
        what: String,
    },
    /// The journal is damaged and takes no entries (exit 65).
    Damaged {
        /// The PATH as it was given.
        name: String,
        /// The first damage.
        damage: Damage,
        /// What mends it.
        remedy: Remedy,
    },
    /// A program that ignores the lock wrote at the same time (exit 65).
    Foreign {
        /// The PATH as it was given.
        name: String,
        /// What was seen, and what was left as it is.
        what: &'static str,
    },
    /// The lock could not be had, or the wait for it was stopped.
    Lock(LockError),
    /// Somebody took the lock away while it was held (exit 75).
    LockLost {
        /// The PATH as it was given.
        name: String,
        /// Whether something was written before it was noticed.
        written: bool,
    },
    /// A system call failed (exit 74).
    Io {
        /// What could not be done, naming the PATH.
        what: String,
        /// What the system said.
        source: io::Error,
    },
}

impl JournalError {
    /// A failed call on the journal of that name; what is no regular file is told as such.
    pub(super) fn io(name: &str, source: io::Error) -> JournalError {
        let name = name.to_owned();
        // Our own verdict, or what the system says when a directory took the journal's place.
        let ours = source.kind() == io::ErrorKind::InvalidInput && source.raw_os_error().is_none();
        if ours || source.kind() == io::ErrorKind::IsADirectory {
            let what = if ours {
                source.to_string()
            } else {
                "a directory".to_owned()
            };
            return JournalError::NotAFile { name, what };
        }
        JournalError::Io { what: name, source }
    }

    /// A journal that was looked through and is damaged.
    pub(super) fn damaged(name: &str, survey: Survey) -> JournalError {
        let remedy = survey.remedy;
        match survey.damage.into_iter().next() {
            Some(damage) => JournalError::Damaged {
                name: name.to_owned(),
                damage,
                remedy,
            },
            None => JournalError::Foreign {
                name: name.to_owned(),
                what: "it changed while it was read",
            },
        }
    }

    /// The row of the exit table. A wait that was stopped has none of its own: a signal ended it.
    #[must_use]
    pub fn exit(&self) -> Exit {
        match self {
            JournalError::NotAFile { .. } => Exit::Usage,
            JournalError::Damaged { .. } | JournalError::Foreign { .. } => Exit::Damaged,
            JournalError::Lock(LockError::Io { .. }) | JournalError::Io { .. } => Exit::Io,
            JournalError::Lock(_) | JournalError::LockLost { .. } => Exit::LockTimeout,
        }
    }

    /// Whether a wait was stopped, as the caller asked.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        matches!(self, JournalError::Lock(LockError::Stopped))
    }
}

impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JournalError::NotAFile { name, what } => write!(f, "{name} is {what}"),
            JournalError::Damaged {
                name,
                damage,
                remedy,
            } => {
                let Damage {
                    line,
                    offset,
                    problem,
                } = damage;
                let (code, message) = (problem.code, &problem.message);
                write!(
                    f,
                    "{name} is damaged at line {line}, byte {offset}: {code}: {message}; "
                )?;
                let quoted = Quoted(name);
                write!(f, "`lcjournal verify {quoted}` tells all of it, ")?;
                match remedy {
                    Remedy::None => write!(f, "and it may be whole again by now"),
                    Remedy::EndLine => write!(f, "`lcjournal repair {quoted}` ends the line"),
                    Remedy::MoveTail { saved: 0, .. } => {
                        write!(f, "`lcjournal repair {quoted}` moves the damaged end aside")
                    }
                    Remedy::MoveTail { .. } => write!(
                        f,
                        "`lcjournal repair {quoted}` moves the damaged end aside, with \
                         --drop-damaged it keeps the entries that are whole in it"
                    ),
                    Remedy::DropDamaged => write!(
                        f,
                        "`lcjournal repair --drop-damaged {quoted}` moves what is damaged aside \
                         and renumbers the entries after it"
                    ),
                }
            }
            JournalError::Foreign { name, what } => write!(
                f,
                "{name}: another program wrote without the lock: {what}; see `lcjournal verify \
                 {name}`"
            ),
            JournalError::Lock(error) => error.fmt(f),
            JournalError::LockLost { name, written } => {
                write!(f, "{name}: the lock was taken away while it was held; ")?;
                f.write_str(if *written {
                    "what was written may have crossed another's writing: see `lcjournal verify`"
                } else {
                    "nothing was written"
                })
            }
            JournalError::Io { what, source } => write!(f, "{what}: {source}"),
        }
    }
}

/// A name as it is written in a command line.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/+,:@%=~".contains(&byte);
        if self.0.starts_with('-') {
            f.write_str("./")?;
        }
        if !self.0.is_empty() && !self.0.starts_with('~') && self.0.bytes().all(plain) {
            return f.write_str(self.0);
        }
        write!(f, "'{}'", self.0.replace('\'', "'\\''"))
    }
}

impl Error for JournalError {}

impl From<LockError> for JournalError {
    fn from(error: LockError) -> JournalError {
        JournalError::Lock(error)
    }
}
