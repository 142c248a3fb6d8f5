//! Faults for tests: a plan for this thread, and a count of the bytes read.

use std::cell::{Cell, RefCell};
use std::io;

use rustix::io::Errno;

use super::Call;

thread_local! {
    static BYTES_READ: Cell<u64> = const { Cell::new(0) };
    static PLAN: RefCell<Option<Plan>> = const { RefCell::new(None) };
}

/// What is to happen.
pub(in crate::journal) enum Fault {
    /// The call fails as on a full disk.
    Fail,
    /// The write takes only so many bytes.
    Short(usize),
    /// The write takes only so many bytes, and every later one fails.
    Full(usize),
    /// Something else happens just before: with what follows it.
    Before(Box<dyn FnOnce()>, Box<Fault>),
    /// Nothing.
    Nothing,
}

struct Plan {
    call: Option<Call>,
    nth: u64,
    fault: Fault,
    seen: u64,
    fired: u64,
}

/// Plans a fault for the nth call from now (0 is the next one), counting only calls of one
/// name, if it is given.
pub(in crate::journal) fn plan(call: Option<Call>, nth: u64, fault: Fault) {
    let (seen, fired) = (0, 0);
    PLAN.set(Some(Plan {
        call,
        nth,
        fault,
        seen,
        fired,
    }));
}

/// Ends the plan; how many calls it met.
pub(in crate::journal) fn end() -> u64 {
    PLAN.take().map_or(0, |plan| plan.fired)
}

/// How many bytes were read since this was last asked.
pub(in crate::journal) fn bytes_read() -> u64 {
    BYTES_READ.replace(0)
}

pub(super) fn count(bytes: u64) {
    BYTES_READ.set(BYTES_READ.get() + bytes);
}

pub(super) fn reached(call: Call, length: usize) -> io::Result<usize> {
    let Some(mut plan) = PLAN.take() else {
        return Ok(length);
    };
    let answer = plan.answer(call, length);
    PLAN.set(Some(plan));
    answer
}

impl Plan {
    fn answer(&mut self, call: Call, length: usize) -> io::Result<usize> {
        if self.call.is_some_and(|only| only != call) {
            return Ok(length);
        }
        let number = self.seen;
        self.seen += 1;
        let later = number > self.nth && matches!(self.fault, Fault::Full(_));
        if number != self.nth && !later {
            return Ok(length);
        }
        self.fired += 1;
        if let Fault::Before(..) = self.fault
            && let Fault::Before(action, then) = std::mem::replace(&mut self.fault, Fault::Nothing)
        {
            action();
            self.fault = *then;
        }
        match self.fault {
            Fault::Short(most) => Ok(most.min(length)),
            Fault::Full(most) if !later => Ok(most.min(length)),
            Fault::Fail | Fault::Full(_) => Err(Errno::NOSPC.into()),
            Fault::Before(..) | Fault::Nothing => Ok(length),
        }
    }
}
