//! What the running system says of itself.

use std::fs::File;
use std::process::Command;

use super::super::evidence::{Flock, Live, Machine, Probe, Process, ProcessStat, own_start_time};
use super::{flock, wait_until};
use rustix::fs::FlockOperation;

fn stat(name: &str, state: &str, threads: u32) -> Option<bool> {
    let line = format!(
        "7 ({name}) {state} 1 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 {threads} 0 5371 1000 100\n"
    );
    ProcessStat::parse(line.as_bytes()).map(|stat| stat.is_dead())
}

#[test]
fn the_stat_line_is_read_after_the_last_bracket() {
    for name in ["sh", "a b", ") R 1 2 (", "))", "\u{e9}"] {
        assert_eq!(stat(name, "S", 1), Some(false));
        assert_eq!(stat(name, "Z", 1), Some(true));
    }
    // Only the first thread has ended.
    assert_eq!(stat("x", "Z", 2), Some(false));
    assert_eq!(ProcessStat::parse(b"7 (sh) S 1 2"), None);
    assert_eq!(ProcessStat::parse(b""), None);
}

#[test]
fn a_child_lives_is_a_zombie_and_is_gone() {
    let file = tempfile::tempfile().unwrap();
    let probe = Live { owner_file: &file };
    let mut child = Command::new("sleep").arg("60").spawn().unwrap();
    let pid = i32::try_from(child.id()).unwrap();
    assert!(matches!(probe.process(pid), Process::Alive { start_time: Some(start) } if start > 0));
    child.kill().unwrap();
    wait_until("a zombie counts as gone", || {
        probe.process(pid) == Process::Gone
    });
    child.wait().unwrap();
    assert_eq!(probe.process(pid), Process::Gone);
    assert_eq!(probe.process(i32::MAX), Process::Gone);
}

#[test]
fn this_process_is_alive_since_its_own_start_time() {
    let file = tempfile::tempfile().unwrap();
    let own = i32::try_from(std::process::id()).unwrap();
    let expected = Process::Alive {
        start_time: own_start_time(),
    };
    assert_eq!(Live { owner_file: &file }.process(own), expected);
}

#[test]
fn a_flock_is_seen_and_asking_does_not_take_it() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let asked = File::open(file.path()).unwrap();
    let probe = Live { owner_file: &asked };
    assert_eq!(probe.flock(), Flock::Free);
    flock(file.as_file(), FlockOperation::NonBlockingLockExclusive);
    assert_eq!(probe.flock(), Flock::Busy);
    flock(file.as_file(), FlockOperation::Unlock);
    assert_eq!(probe.flock(), Flock::Free);
}

#[test]
fn the_machine_is_known() {
    let machine = Machine::here();
    assert!(machine.host.is_some());
    assert!(machine.boot_id.is_some_and(|id| id.len() == 36));
    assert!(
        machine
            .pid_namespace
            .is_some_and(|link| link.starts_with("pid:["))
    );
    assert!(
        machine
            .boot_time
            .is_some_and(|time| time < jiff::Timestamp::now())
    );
}
