//! SIGINT and SIGTERM, heard through pipes so that they can be waited for together with input.

use std::cell::Cell;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use signal_hook::consts::{SIGINT, SIGPIPE, SIGTERM};
use signal_hook::low_level;

/// The signals that end a program, and whether they have arrived.
#[derive(Debug)]
pub struct Signals {
    interrupt: UnixStream,
    terminate: UnixStream,
    /// The first SIGINT only means "finish when the input ends".
    defer: Cell<bool>,
    deferred: Cell<bool>,
    ending: Cell<Option<u8>>,
    /// The other end of `interrupt` where no handler has it: kept open, it stays silent.
    silent: Option<UnixStream>,
}

impl Signals {
    /// Installs the handlers. A SIGINT that was ignored when the program started, as in a
    /// background job of a script, stays ignored.
    ///
    /// # Errors
    ///
    /// When no pipe can be made or no handler installed.
    pub fn install() -> io::Result<Signals> {
        let (interrupt, on_interrupt) = UnixStream::pair()?;
        let (terminate, on_terminate) = UnixStream::pair()?;
        interrupt.set_nonblocking(true)?;
        terminate.set_nonblocking(true)?;
        let mut signals = Signals {
            interrupt,
            terminate,
            defer: Cell::new(false),
            deferred: Cell::new(false),
            ending: Cell::new(None),
            silent: None,
        };
        if is_ignored(SIGINT) {
            signals.silent = Some(on_interrupt);
        } else {
            low_level::pipe::register(SIGINT, on_interrupt)?;
        }
        low_level::pipe::register(SIGTERM, on_terminate)?;
        Ok(signals)
    }

    /// The signal that ends the program now, if one has arrived.
    #[must_use]
    pub fn ending(&self) -> Option<u8> {
        if self.ending.get().is_none() {
            if arrived(&self.terminate) > 0 {
                self.ending.set(Some(SIGTERM as u8));
            }
            for _ in 0..arrived(&self.interrupt) {
                if self.defer.get() && !self.deferred.get() {
                    self.deferred.set(true);
                } else if self.ending.get().is_none() {
                    self.ending.set(Some(SIGINT as u8));
                }
            }
        }
        self.ending.get()
    }

    /// Whether the first SIGINT waits for the end of the input, as it does while a pipe is read.
    pub(super) fn defer_interrupt(&self, defer: bool) {
        self.defer.set(defer);
    }

    /// Readable when something has arrived.
    pub(super) fn fds(&self) -> [BorrowedFd<'_>; 2] {
        [self.interrupt.as_fd(), self.terminate.as_fd()]
    }
}

/// Takes what a handler wrote: one byte for each signal.
fn arrived(mut pipe: &UnixStream) -> usize {
    let mut bytes = [0; 64];
    pipe.read(&mut bytes).unwrap_or(0)
}

fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Ends the process as if it had never ignored SIGPIPE.
pub(super) fn die_of_sigpipe() {
    // Returns only if the signal could not be raised; the caller's status stands then.
    let _ = low_level::emulate_default_handler(SIGPIPE);
}
