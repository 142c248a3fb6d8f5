//! Holding the lock, and giving it back.

use std::io;

use super::acquire::Locker;
use super::place::Moved;
use super::reclaim::put_back;
use super::seat::Seated;
use super::{leftovers, step};

/// How many names the directory may go back to, should they be taken.
const NAMES: u32 = 8;

/// The lock, held. Dropping it releases it as well as it can; [`Held::release`] says how it went.
#[derive(Debug)]
pub struct Held<'a> {
    locker: &'a mut Locker,
    released: bool,
    _seated: Seated,
}

/// How a release went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReleaseOutcome {
    /// The lock was ours to the end.
    Released,
    /// The lock was no longer ours: somebody took it over, or removed it. What was written since
    /// the last [`Held::still_ours`] may have crossed another's writing.
    Lost,
}

impl<'a> Held<'a> {
    /// The lock that this locker has just taken.
    pub(super) fn of(locker: &'a mut Locker, seated: Seated) -> Held<'a> {
        Held {
            locker,
            released: false,
            _seated: seated,
        }
    }

    /// Whether the lock directory still bears our token. Ask before writing: a process that was
    /// suspended may have lost the lock, and then writes nothing.
    ///
    /// # Errors
    ///
    /// If that cannot be read; then too, write nothing.
    pub fn still_ours(&self) -> io::Result<bool> {
        match &self.locker.prepared {
            Some(prepared) => prepared.is_borne_by(self.locker.place.lock()),
            None => Ok(false),
        }
    }

    /// Gives the lock back, if it is still ours.
    ///
    /// # Errors
    ///
    /// If a system call fails. Whatever comes of it, this process no longer lives as the owner of
    /// what stays: its flock is free, so that others can take it over by age.
    pub fn release(mut self) -> io::Result<ReleaseOutcome> {
        self.give_back()
    }

    /// Where the directory goes back to.
    #[cfg(test)]
    pub(super) fn prepared_path(&self) -> Option<&std::path::Path> {
        self.locker
            .prepared
            .as_ref()
            .map(|prepared| prepared.path.as_path())
    }

    /// The prepared directory is kept only if it came back; else dropping it ends its flock, and
    /// nothing in it is deleted: it may be on its way to the name `PATH.lock`.
    fn give_back(&mut self) -> io::Result<ReleaseOutcome> {
        self.released = true;
        let Some(mut prepared) = self.locker.prepared.take() else {
            return Ok(ReleaseOutcome::Lost);
        };
        let place = &self.locker.place;
        if !prepared.is_borne_by(place.lock())? {
            return Ok(ReleaseOutcome::Lost);
        }
        step("checked before releasing");
        let mut answer = place.rename(place.lock(), &prepared.path)?;
        for _ in 0..NAMES {
            if answer == Moved::Occupied {
                prepared.path = place.fresh()?;
                answer = place.rename(place.lock(), &prepared.path)?;
            }
        }
        if answer != Moved::Yes {
            return Ok(ReleaseOutcome::Lost);
        }
        step("renamed away");
        let caught = prepared.is_borne_by(&prepared.path);
        if !matches!(caught, Ok(true)) {
            put_back(place, &prepared.path);
            return caught.map(|_| ReleaseOutcome::Lost);
        }
        self.locker.prepared = Some(prepared);
        if std::mem::take(&mut self.locker.clearing_due) {
            leftovers::clear(&self.locker.place);
        }
        Ok(ReleaseOutcome::Released)
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if !self.released {
            let _ = self.give_back();
        }
    }
}
