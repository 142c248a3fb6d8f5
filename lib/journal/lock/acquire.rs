//! Taking the lock: trying, waiting, looking at who is in the way.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use jiff::Timestamp;

use super::evidence::Machine;
use super::held::Held;
use super::owner::shown_path;
use super::place::{FileId, Moved, Place, random_hex};
use super::prepared::Prepared;
use super::reclaim::{Reclaimed, reclaim};
use super::seat::{Seat, Seated};
use super::sight::Sight;
use super::wait::Wait;
use super::{LockError, LockOptions, step};

/// How often our prepared directory may vanish within one try, or its name be taken.
const TRIES: u32 = 8;

/// One process's (or one thread's) way to the lock of one journal.
///
/// It keeps a prepared directory beside the journal from the first [`Locker::acquire`] on, and
/// removes it when dropped. Lockers of one process for the same journal exclude each other.
#[derive(Debug)]
pub struct Locker {
    pub(super) place: Place,
    pub(super) options: LockOptions,
    pub(super) machine: Machine,
    pub(super) prepared: Option<Prepared>,
    seat: Arc<Seat>,
    /// Whether leftovers are to be looked for, after the next release.
    pub(super) clearing_due: bool,
}

/// What a look at somebody else's lock came to.
enum Next {
    /// There is none any more.
    Gone,
    /// A dead one was cleared away: a try costs nothing, even without patience.
    Cleared,
    /// It stands; who holds it, and why it was not taken over.
    Stands(String),
}

impl Locker {
    /// A locker for the journal at this path, whose links the caller has resolved. Nothing is
    /// made yet.
    ///
    /// # Errors
    ///
    /// If the path names no file, or its directory cannot be found.
    pub fn new(journal_path: &Path, options: LockOptions) -> io::Result<Locker> {
        let place = Place::beside(journal_path)?;
        let name = place.lock().file_name().unwrap_or_default();
        let seat = Seat::of(place.directory(), name)?;
        let machine = Machine::here();
        Ok(Locker {
            place,
            options,
            machine,
            prepared: None,
            seat,
            clearing_due: true,
        })
    }

    /// The lock directory, `PATH.lock`.
    #[must_use]
    pub fn lock_path(&self) -> &Path {
        self.place.lock()
    }

    /// Takes the lock, waiting for it as [`LockOptions`] says. `stop` is asked between tries, at
    /// least every 75 ms, so that a signal can end the wait; it is not asked before the first try.
    ///
    /// # Errors
    ///
    /// [`LockError::Timeout`], [`LockError::Stopped`], or [`LockError::Io`] if the journal's
    /// directory cannot be written to or a system call fails.
    pub fn acquire(&mut self, stop: &dyn Fn() -> bool) -> Result<Held<'_>, LockError> {
        let mut wait = Wait::begin(self.options.timeout);
        let seated = self.sit_down(&mut wait, stop)?;
        let token = random_hex::<16>().map_err(|source| self.failed("cannot take", source))?;
        let mut last = None;
        loop {
            let taken = self.try_take(&token);
            if taken.map_err(|source| self.failed("cannot take", source))? {
                return Ok(Held::of(self, seated));
            }
            let next = self.look(&mut last, &mut wait);
            let next = next.map_err(|source| self.failed("cannot read", source))?;
            if stop() {
                return Err(LockError::Stopped);
            }
            match next {
                Next::Cleared => {}
                _ if wait.is_over() => return Err(self.timed_out(&wait, next)),
                Next::Gone | Next::Stands(_) => thread::sleep(wait.next_pause()),
            }
        }
    }

    /// Waits for the other parts of this process.
    fn sit_down(&self, wait: &mut Wait, stop: &dyn Fn() -> bool) -> Result<Seated, LockError> {
        let mut last = None;
        loop {
            let times = match self.seat.take(wait.slice()) {
                Ok(seated) => {
                    if last.is_some() {
                        wait.changed();
                    }
                    return Ok(seated);
                }
                Err(times) => Some(times),
            };
            if last.is_some() && last != times {
                wait.changed();
            }
            last = times;
            if stop() {
                return Err(LockError::Stopped);
            }
            if wait.is_over() {
                let lock = shown_path(self.place.lock());
                let message = format!("{lock} is held by another part of this process");
                return Err(LockError::Timeout { message });
            }
        }
    }

    /// One try; a prepared directory that is gone is made anew.
    fn try_take(&mut self, token: &str) -> io::Result<bool> {
        for _ in 0..TRIES {
            let mut prepared = match self.prepared.take() {
                Some(prepared) if !prepared.is_gone()? => prepared,
                _ => Prepared::make(&self.place, &self.machine)?,
            };
            let written = prepared.write(token, Timestamp::now());
            step("take the lock");
            match written.and_then(|()| self.place.rename(&prepared.path, self.place.lock())) {
                Ok(Moved::Missing) => {}
                Ok(answer) => {
                    self.prepared = Some(prepared);
                    return Ok(answer == Moved::Yes);
                }
                Err(error) => {
                    prepared.remove();
                    return Err(error);
                }
            }
        }
        Err(io::Error::other(
            "the directory prepared for the lock is taken away time and again",
        ))
    }

    /// Looks at the lock that stands in the way, and takes it away if its owner is proved dead.
    fn look(&mut self, last: &mut Option<(FileId, Vec<u8>)>, wait: &mut Wait) -> io::Result<Next> {
        let Some(sight) = Sight::of(self.place.lock())? else {
            *last = None;
            wait.changed();
            return Ok(Next::Gone);
        };
        let seen = (sight.id, sight.bytes().to_owned());
        if last.as_ref().is_some_and(|last| *last != seen) {
            wait.changed();
        }
        *last = Some(seen);
        let verdict = sight.judge(&self.machine, &self.options);
        let holder = sight.holder();
        if !verdict.reclaimable {
            return Ok(Next::Stands(format!(
                "held by {holder}: {}",
                verdict.reason
            )));
        }
        match reclaim(&self.place, sight, &self.machine, &self.options)? {
            Reclaimed::Yes => {
                self.clearing_due = true;
                *last = None;
                wait.changed();
                Ok(Next::Cleared)
            }
            Reclaimed::Changed => {
                let why = "it changed while it was judged";
                Ok(Next::Stands(format!("held by {holder}: {why}")))
            }
            Reclaimed::No(why) => Ok(Next::Stands(format!("held by {holder}: {why}"))),
        }
    }

    fn timed_out(&self, wait: &Wait, next: Next) -> LockError {
        let lock = shown_path(self.place.lock());
        let waited = wait.so_far().as_secs_f64();
        let message = match next {
            Next::Stands(why) => format!(
                "{lock} is {why} (waited {waited:.1} s); if that holder is surely gone, remove \
                 the lock by hand: rm -r {lock}"
            ),
            _ => format!("{lock} changed hands all the time (waited {waited:.1} s)"),
        };
        LockError::Timeout { message }
    }

    fn failed(&self, what: &str, source: io::Error) -> LockError {
        LockError::Io {
            what: format!("{what} the lock {}", shown_path(self.place.lock())),
            source,
        }
    }
}

impl Drop for Locker {
    fn drop(&mut self) {
        if let Some(prepared) = self.prepared.take() {
            prepared.remove();
        }
    }
}
