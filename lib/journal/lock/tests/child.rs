//! A process of its own: this test binary, told by its environment what to do.

use std::env;
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use rustix::process::{Signal, getpid, kill_process};

use super::super::{LockOptions, Locker, ReleaseOutcome};
use super::{patient, rushed, steps};

const TASK: &str = "LCTOOLS_LOCK_TASK";
const JOURNAL: &str = "LCTOOLS_LOCK_JOURNAL";

pub(super) fn command() -> Vec<OsString> {
    let name = "journal::lock::tests::child::entry";
    let mut words = vec![env::current_exe().unwrap().into_os_string()];
    words.extend(["--exact", name, "--nocapture", "--test-threads=1"].map(OsString::from));
    words
}

pub(super) fn environment(task: &str, journal: &Path) -> [(&'static str, OsString); 2] {
    [(TASK, task.into()), (JOURNAL, journal.into())]
}

/// Starts a process that does this.
pub(super) fn start(task: &str, journal: &Path) -> Child {
    let words = command();
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).envs(environment(task, journal));
    command
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap()
}

/// Starts it and waits until it says that it holds the lock.
pub(super) fn start_holding(task: &str, journal: &Path) -> (Child, BufReader<ChildStdout>) {
    let mut child = start(task, journal);
    let mut output = BufReader::new(child.stdout.take().unwrap());
    expect(&mut output, "held");
    (child, output)
}

/// Reads on until a line says this.
pub(super) fn expect(output: &mut impl BufRead, word: &str) {
    let mut line = String::new();
    loop {
        line.clear();
        assert_ne!(
            output.read_line(&mut line).unwrap(),
            0,
            "the child ended before {word:?}"
        );
        if line.trim_end().ends_with(word) {
            return;
        }
    }
}

fn say(word: &str) {
    // Not through print!, which the test harness may capture.
    let mut out = std::io::stdout().lock();
    writeln!(out, "{word}").unwrap();
    out.flush().unwrap();
}

/// Not a test of its own: nothing to do unless a parent says so.
#[test]
fn entry() {
    let (Some(task), Some(journal)) = (env::var(TASK).ok(), env::var_os(JOURNAL)) else {
        return;
    };
    let journal = PathBuf::from(journal);
    let words: Vec<&str> = task.split(' ').collect();
    match words[..] {
        ["hold"] => hold(&journal),
        ["count", times] => count(&journal, patient(), false, times.parse().unwrap()),
        // A free flock is proof enough at any age: the dead are taken over at once.
        ["rush", times] => count(&journal, rushed(), false, times.parse().unwrap()),
        ["plain", times] => count(&journal, rushed(), true, times.parse().unwrap()),
        ["win"] => win(&journal),
        ["crash", kind, step] => crash(&journal, kind, step.parse().unwrap()),
        _ => panic!("{task}"),
    }
}

/// Takes the lock, says so, and keeps it until its input ends.
fn hold(journal: &Path) {
    let mut locker = Locker::new(journal, patient()).unwrap();
    let held = locker.acquire(&|| false).unwrap();
    say("held");
    std::thread::sleep(Duration::from_secs(120));
    assert!(held.still_ours().unwrap());
}

/// Appends numbered lines, each number one more than the last.
fn count(journal: &Path, options: LockOptions, plain: bool, times: usize) {
    let mut locker = Locker::new(journal, options).unwrap();
    if plain {
        locker.place.force_plain();
    }
    for _ in 0..times {
        append(&mut locker, journal);
    }
}

/// One line under the lock; a lock that was lost before writing is taken anew.
pub(super) fn append(locker: &mut Locker, journal: &Path) {
    loop {
        let held = locker.acquire(&|| false).unwrap();
        let text = fs::read_to_string(journal).unwrap_or_default();
        let last = text
            .lines()
            .next_back()
            .map_or(0, |line| line.parse::<u64>().unwrap());
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(journal)
            .unwrap();
        if !held.still_ours().unwrap() {
            continue;
        }
        file.write_all(format!("{}\n", last + 1).as_bytes())
            .unwrap();
        assert_eq!(held.release().unwrap(), ReleaseOutcome::Released);
        return;
    }
}

/// Tries once; whoever has the lock keeps it until all have tried.
fn win(journal: &Path) {
    say("ready");
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
    let options = LockOptions {
        timeout: Duration::from_millis(150),
        ..LockOptions::default()
    };
    let mut locker = Locker::new(journal, options).unwrap();
    let held = locker.acquire(&|| false);
    say(if held.is_ok() { "won" } else { "lost" });
    std::io::stdin().read_line(&mut line).unwrap();
    if let Ok(held) = held {
        assert_eq!(held.release().unwrap(), ReleaseOutcome::Released);
    }
}

/// Dies at the step of this number; says `through` if there are not so many.
fn crash(journal: &Path, kind: &str, step: usize) {
    let mut locker = Locker::new(journal, rushed()).unwrap();
    if kind == "plain" {
        locker.place.force_plain();
    }
    let mut seen = 0;
    steps::at_each(move |_| {
        if seen == step {
            kill_process(getpid(), Signal::KILL).unwrap();
        }
        seen += 1;
    });
    for _ in 0..2 {
        locker.acquire(&|| false).unwrap().release().unwrap();
    }
    drop(locker);
    steps::none();
    say("through");
}
