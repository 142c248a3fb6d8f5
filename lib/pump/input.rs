//! One input: opened, waited for together with the signals, read.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, Mode, OFlags, fstat, open};
use rustix::io::Errno;

use super::signal::Signals;

pub(super) enum Input {
    Stdin,
    File(File),
}

/// What waiting for input came to.
pub(super) enum Wait {
    Ready,
    NotReady,
}

impl Input {
    /// Opens a FILE, `-` meaning standard input. A FIFO is opened without waiting for its writer:
    /// that wait is [`Input::wait`]'s, where signals are heard.
    pub(super) fn open(path: &Path) -> io::Result<Input> {
        if path == Path::new("-") {
            return Ok(Input::Stdin);
        }
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        let file = File::from(open(path, flags, Mode::empty())?);
        // A directory can be opened, but has no bytes: no stream shall begin.
        if FileType::from_raw_mode(fstat(&file)?.st_mode) == FileType::Directory {
            return Err(Errno::ISDIR.into());
        }
        Ok(Input::File(file))
    }

    pub(super) fn is_terminal(&self) -> bool {
        rustix::termios::isatty(self.fd())
    }

    /// Whether somebody is writing into the other end.
    pub(super) fn is_pipe(&self) -> bool {
        fstat(self.fd()).is_ok_and(|stat| {
            matches!(
                FileType::from_raw_mode(stat.st_mode),
                FileType::Fifo | FileType::Socket
            )
        })
    }

    /// Whether bytes (or the end) can be read without blocking; with `block`, waits until so or
    /// until a signal arrives.
    pub(super) fn wait(&self, signals: &Signals, block: bool) -> Wait {
        let [interrupt, terminate] = signals.fds();
        let fd = self.fd();
        let mut fds = [
            PollFd::new(&fd, PollFlags::IN),
            PollFd::from_borrowed_fd(interrupt, PollFlags::IN),
            PollFd::from_borrowed_fd(terminate, PollFlags::IN),
        ];
        let zero = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        match poll(&mut fds, if block { None } else { Some(&zero) }) {
            Ok(_) if !fds[0].revents().is_empty() => Wait::Ready,
            Ok(_) | Err(Errno::INTR) => Wait::NotReady,
            // What poll cannot judge is left to read.
            Err(_) => Wait::Ready,
        }
    }

    /// Reads what is there: 0 bytes at the end, `None` if nothing is there after all.
    pub(super) fn read(&self, space: &mut [u8]) -> io::Result<Option<usize>> {
        match rustix::io::read(self.fd(), space) {
            Ok(count) => Ok(Some(count)),
            Err(Errno::INTR | Errno::AGAIN) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn fd(&self) -> BorrowedFd<'_> {
        match self {
            Input::Stdin => rustix::stdio::stdin(),
            Input::File(file) => file.as_fd(),
        }
    }
}
