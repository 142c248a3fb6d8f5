//! What this machine can say about itself and about a process on it.
//!
//! Everything here only looks. What cannot be read is `None`, and `None` proves nothing.

use std::fs;
use std::fs::File;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use rustix::fs::FlockOperation;
use rustix::io::Errno;
use rustix::process::Pid;
use rustix::time::ClockId;

/// The machine that judges: built by [`Machine::here`], or by hand in a test.
#[derive(Debug, Clone, Default)]
pub(super) struct Machine {
    /// The host name.
    pub(super) host: Option<String>,
    /// `/etc/machine-id`.
    pub(super) machine_id: Option<String>,
    /// The id of this boot.
    pub(super) boot_id: Option<String>,
    /// The pid namespace of this process, `pid:[N]`.
    pub(super) pid_namespace: Option<String>,
    /// When this machine was started, on the wall clock of now.
    pub(super) boot_time: Option<Timestamp>,
}

impl Machine {
    /// The machine this process runs on.
    pub(super) fn here() -> Machine {
        let host = rustix::system::uname()
            .nodename()
            .to_string_lossy()
            .into_owned();
        Machine {
            host: (!host.is_empty()).then_some(host),
            machine_id: first_word("/etc/machine-id").filter(|id| id != "uninitialized"),
            boot_id: first_word("/proc/sys/kernel/random/boot_id"),
            pid_namespace: fs::read_link("/proc/self/ns/pid")
                .ok()
                .and_then(|link| link.into_os_string().into_string().ok()),
            boot_time: boot_time(),
        }
    }
}

fn first_word(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    text.split_whitespace().next().map(str::to_owned)
}

/// Wall clock now less the time since boot, suspends included.
fn boot_time() -> Option<Timestamp> {
    let up = rustix::time::clock_gettime(ClockId::Boottime);
    let up = SignedDuration::new(up.tv_sec, i32::try_from(up.tv_nsec).ok()?);
    Timestamp::now().checked_sub(up).ok()
}

/// The number in `pid:[N]`, or N itself: how a namespace is compared.
pub(super) fn namespace_number(text: &str) -> &str {
    text.strip_prefix("pid:[")
        .and_then(|rest| rest.strip_suffix(']'))
        .unwrap_or(text)
}

/// Start of this process in clock ticks since boot.
///
/// Read through `/proc/self`: in a new pid namespace under an old `/proc`, the entry of our own
/// number belongs to somebody else.
pub(super) fn own_start_time() -> Option<u64> {
    ProcessStat::read(Path::new("/proc/self/stat")).map(|stat| stat.start_time)
}

/// Whether a process is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Process {
    /// No such process, or only a zombie, which can hold nothing.
    Gone,
    /// There is one; when it started, if that could be read.
    Alive { start_time: Option<u64> },
}

/// What a flock says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Flock {
    /// Nobody holds it.
    Free,
    /// Somebody does.
    Busy,
    /// It could not be tried.
    Unknown(String),
}

/// The two questions that only the running system can answer.
pub(super) trait Probe {
    /// Whether anybody holds a flock on the owner.json that is being judged.
    fn flock(&self) -> Flock;
    /// Whether a process of this number exists in this pid namespace.
    fn process(&self, pid: i32) -> Process;
}

/// The running system; the file is the owner.json whose bytes are judged.
pub(super) struct Live<'a> {
    pub(super) owner_file: &'a File,
}

impl Probe for Live<'_> {
    fn flock(&self) -> Flock {
        probe_flock(self.owner_file)
    }

    fn process(&self, pid: i32) -> Process {
        probe_process(pid)
    }
}

/// Tries a shared lock, so that two who ask do not see each other, and gives it back.
fn probe_flock(file: &File) -> Flock {
    match rustix::fs::flock(file, FlockOperation::NonBlockingLockShared) {
        Ok(()) => {
            let _ = rustix::fs::flock(file, FlockOperation::Unlock);
            Flock::Free
        }
        Err(Errno::WOULDBLOCK) => Flock::Busy,
        Err(errno) => Flock::Unknown(errno.to_string()),
    }
}

fn probe_process(pid: i32) -> Process {
    let Some(known) = (pid > 0).then(|| Pid::from_raw(pid)).flatten() else {
        return Process::Alive { start_time: None };
    };
    if rustix::process::test_kill_process(known) == Err(Errno::SRCH) {
        return Process::Gone;
    }
    // Where /proc shows another pid namespace than ours, its numbers are not ours.
    let own = fs::read_link("/proc/self").ok();
    if own.as_deref() != Some(Path::new(&std::process::id().to_string())) {
        return Process::Alive { start_time: None };
    }
    match ProcessStat::read(Path::new(&format!("/proc/{pid}/stat"))) {
        Some(stat) if stat.is_dead() => Process::Gone,
        Some(stat) => Process::Alive {
            start_time: Some(stat.start_time),
        },
        None => Process::Alive { start_time: None },
    }
}

/// What is needed of `/proc/PID/stat`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ProcessStat {
    state: u8,
    threads: u64,
    start_time: u64,
}

impl ProcessStat {
    fn read(path: &Path) -> Option<ProcessStat> {
        ProcessStat::parse(&fs::read(path).ok()?)
    }

    /// The command's name stands in brackets and may hold anything, brackets too: what counts
    /// begins after the last one.
    pub(super) fn parse(stat: &[u8]) -> Option<ProcessStat> {
        let after = stat.iter().rposition(|byte| *byte == b')')? + 1;
        let rest = std::str::from_utf8(&stat[after..]).ok()?;
        let field = |number: usize| rest.split_ascii_whitespace().nth(number - 3);
        Some(ProcessStat {
            state: *field(3)?.as_bytes().first()?,
            threads: field(20)?.parse().ok()?,
            start_time: field(22)?.parse().ok()?,
        })
    }

    /// A zombie is dead, unless only its first thread has ended and others still run.
    pub(super) fn is_dead(&self) -> bool {
        matches!(self.state, b'Z' | b'X' | b'x') && self.threads <= 1
    }
}
