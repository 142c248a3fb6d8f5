//! Standard output: whole lines, written where a signal can still be heard.

use std::io;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, fstat};
use rustix::io::Errno;
use rustix::stdio::stdout;

use super::pour::Pause;
use super::signal::Signals;

/// A pipe that polls writable takes this much without blocking (POSIX `PIPE_BUF` on Linux).
const PIPE_ROOM: usize = 4_096;

/// What happens when the reader of standard output leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrokenPipe {
    /// The program ends by SIGPIPE, as filters do.
    Die,
    /// The output is dropped and the work goes on: it has another purpose than its output. A
    /// failed write is then told, but does not end the work either.
    Drop,
}

/// How writing came to an end.
pub(super) enum WriteEnd {
    Failed(io::Error),
    Signal(u8),
}

#[derive(Debug)]
pub(super) struct Output {
    /// Writes may block: poll first, and in small pieces.
    may_block: bool,
    broken_pipe: BrokenPipe,
    /// Nothing can be written any more.
    closed: bool,
    reader_left: bool,
}

impl Output {
    pub(super) fn new(broken_pipe: BrokenPipe) -> Output {
        let may_block = match fstat(stdout()).map(|stat| FileType::from_raw_mode(stat.st_mode)) {
            Ok(FileType::RegularFile) => false,
            Ok(FileType::CharacterDevice) => rustix::termios::isatty(stdout()),
            _ => true,
        };
        Output {
            may_block,
            broken_pipe,
            closed: false,
            reader_left: false,
        }
    }

    pub(super) fn reader_left(&self) -> bool {
        self.reader_left
    }

    /// Whether the program has nothing left to do, its output being gone.
    pub(super) fn ended(&self) -> bool {
        self.closed && self.broken_pipe == BrokenPipe::Die
    }

    /// Writes all of `out` and empties it. A reader that left is no failure.
    pub(super) fn write(&mut self, out: &mut Vec<u8>, signals: &Signals) -> Result<(), WriteEnd> {
        let mut rest = &out[..];
        let mut end = Ok(());
        while !rest.is_empty() && !self.closed {
            if self.may_block
                && let Some(number) = wait_for_room(signals)
            {
                end = Err(WriteEnd::Signal(number));
                break;
            }
            match self.write_piece(rest) {
                Ok(count) => rest = &rest[count..],
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(error) => end = self.close(error),
            }
        }
        let done = if self.closed {
            out.len()
        } else {
            out.len() - rest.len()
        };
        out.drain(..done);
        end
    }

    /// Writes the beginning of `bytes`: no more than goes without blocking where there was room.
    fn write_piece(&self, bytes: &[u8]) -> Result<usize, Errno> {
        let length = match self.may_block {
            true => bytes.len().min(PIPE_ROOM),
            false => bytes.len(),
        };
        rustix::io::write(stdout(), &bytes[..length])
    }

    /// Writes as much as goes at once.
    pub(super) fn write_without_blocking(&mut self, out: &mut Vec<u8>) {
        let mut rest = &out[..];
        while !rest.is_empty() && !self.closed && (!self.may_block || has_room()) {
            match self.write_piece(rest) {
                Ok(count) => rest = &rest[count..],
                Err(_) => break,
            }
        }
        out.clear();
    }

    /// Waits as a source asks; also for a signal, and for the reader to leave.
    pub(super) fn wait(&mut self, signals: &Signals, pause: Pause<'_>) {
        let [interrupt, terminate] = signals.fds();
        let fd = stdout();
        let mut fds = vec![
            PollFd::from_borrowed_fd(interrupt, PollFlags::IN),
            PollFd::from_borrowed_fd(terminate, PollFlags::IN),
        ];
        // Nothing is asked of standard output: what comes is that its reader has left.
        let watched = self.may_block && !self.closed;
        if watched {
            fds.push(PollFd::new(&fd, PollFlags::empty()));
        }
        if let Some(fd) = pause.fd {
            fds.push(PollFd::from_borrowed_fd(fd, PollFlags::IN));
        }
        let most = Timespec::try_from(pause.most).ok();
        if poll(&mut fds, most.as_ref()).is_ok()
            && watched
            && fds
                .get(2)
                .is_some_and(|fd| fd.revents().intersects(PollFlags::ERR | PollFlags::HUP))
        {
            self.closed = true;
            self.reader_left = true;
        }
    }

    fn close(&mut self, error: Errno) -> Result<(), WriteEnd> {
        self.closed = true;
        if error == Errno::PIPE {
            self.reader_left = true;
            return Ok(());
        }
        Err(WriteEnd::Failed(error.into()))
    }
}

/// Waits until standard output takes bytes; a signal that ends the program ends the wait.
fn wait_for_room(signals: &Signals) -> Option<u8> {
    loop {
        let [interrupt, terminate] = signals.fds();
        let fd = stdout();
        let mut fds = [
            PollFd::new(&fd, PollFlags::OUT),
            PollFd::from_borrowed_fd(interrupt, PollFlags::IN),
            PollFd::from_borrowed_fd(terminate, PollFlags::IN),
        ];
        match poll(&mut fds, None) {
            Ok(_) if !fds[0].revents().is_empty() => return None,
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return None,
        }
        if let Some(number) = signals.ending() {
            return Some(number);
        }
    }
}

fn has_room() -> bool {
    let fd = stdout();
    let mut fds = [PollFd::new(&fd, PollFlags::OUT)];
    let zero = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    poll(&mut fds, Some(&zero)).is_ok_and(|_| fds[0].revents() == PollFlags::OUT)
}
