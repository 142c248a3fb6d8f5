//! Many writers at one journal, some killed, some suspended, one of them another implementation:
//! every acknowledged entry is there, once, and the sequence has no hole.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;

use crate::harness::{self, run, say, text};

/// What a campaign came to.
#[derive(Debug, Default)]
struct Figures {
    rounds: u64,
    killed: u64,
    suspended: u64,
    acknowledged: u64,
    stored: u64,
    lost: u64,
    /// Entries that share their number or their event with another.
    wrong_winners: u64,
}

impl Figures {
    fn assert_clean(&self) {
        say(&format!("{self:?}"));
        assert_eq!((self.lost, self.wrong_winners), (0, 0), "{self:?}");
    }
}

/// How many rounds of the campaign, if it is one.
fn rounds() -> u64 {
    let rounds = std::env::var("LC_ROUNDS").ok();
    rounds.and_then(|text| text.parse().ok()).unwrap_or(50)
}

fn event(id: &str) -> String {
    format!(
        "{{\"schemaVersion\":1,\"eventId\":\"{id}\",\"source\":\"s\",\"sourceEpoch\":\"x\",\
         \"childId\":\"c\",\"lineage\":{{\"rootChildId\":\"c\",\"attempt\":0,\"external\":false}},\
         \"kind\":\"activity\",\"observedAt\":\"2026-08-24T09:15:30.000Z\",\"activity\":\"a\"}}\n"
    )
}

fn start(folder: &Path) -> Child {
    let mut command = Command::new("lcjournal");
    harness::prepare(&mut command);
    // The whole patience: a killed holder's lock is taken over after two seconds.
    command
        .args([
            "append",
            "--sync",
            "none",
            "--lock-timeout",
            "60s",
            "j.jsonl",
        ])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Appends one event after the other, each once the one before was acknowledged; the lines that
/// were, until the program ended.
fn feed(child: &mut Child, writer: usize, times: usize) -> Vec<String> {
    let mut stdin = child.stdin.take().unwrap();
    let mut echo = BufReader::new(child.stdout.take().unwrap());
    let mut acknowledged = Vec::new();
    for turn in 0..times {
        if stdin
            .write_all(event(&format!("{writer}-{turn}")).as_bytes())
            .is_err()
        {
            break;
        }
        let mut line = String::new();
        if echo.read_line(&mut line).unwrap_or(0) == 0 || !line.ends_with('\n') {
            break;
        }
        acknowledged.push(line);
    }
    acknowledged
}

/// Kills or suspends some of the writers while they write.
struct Trouble {
    kill: usize,
    suspend: usize,
    pause: Duration,
}

/// One round: so many processes, so many appends each.
fn round(processes: usize, times: usize, trouble: &Trouble, figures: &mut Figures) {
    let folder = tempfile::tempdir().unwrap();
    let children: Vec<Child> = (0..processes).map(|_| start(folder.path())).collect();
    let pids: Vec<u32> = children.iter().map(Child::id).collect();
    let done = AtomicU64::new(0);
    let acknowledged: Vec<(bool, Vec<String>)> = std::thread::scope(|scope| {
        let feeding: Vec<_> = children
            .into_iter()
            .enumerate()
            .map(|(writer, mut child)| {
                let done = &done;
                scope.spawn(move || {
                    let lines = feed(&mut child, writer, times);
                    done.fetch_add(1, Ordering::Relaxed);
                    // Its stdin is closed: it ends, or has ended.
                    (child.wait().unwrap().success(), lines)
                })
            })
            .collect();
        make_trouble(&pids, trouble, folder.path());
        feeding
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    figures.rounds += 1;
    figures.killed += trouble.kill as u64;
    figures.suspended += trouble.suspend as u64;
    let survivors = acknowledged.iter().filter(|(well, _)| *well).count();
    assert!(
        survivors >= processes - trouble.kill,
        "{survivors} of {processes} ended well"
    );
    let lines = acknowledged.iter().flat_map(|(_, lines)| lines);
    count(folder.path(), lines, figures);
    let whole = acknowledged
        .iter()
        .filter(|(_, lines)| lines.len() == times);
    assert!(
        whole.count() >= processes - trouble.kill,
        "a survivor stopped early"
    );
    // And no lock is left that blocks.
    let next = run(
        "head -n 1 \"$FIXTURES/journal/six.jsonl\" | lcjournal append j.jsonl",
        folder.path(),
    );
    assert!(next.status.success(), "{}", text(&next.stderr));
}

/// The children are this test's own, not yet waited for: their pids are nobody else's.
fn make_trouble(pids: &[u32], trouble: &Trouble, folder: &Path) {
    let start = Instant::now();
    while fs::metadata(folder.join("j.jsonl")).map_or(0, |found| found.len()) < 2_000 {
        assert!(start.elapsed() < harness::PATIENCE, "nobody writes");
        std::thread::sleep(Duration::from_millis(1));
    }
    for pid in &pids[..trouble.kill] {
        std::thread::sleep(trouble.pause);
        harness::signal(*pid, Signal::KILL);
    }
    let suspended = &pids[trouble.kill..trouble.kill + trouble.suspend];
    suspended
        .iter()
        .for_each(|pid| harness::signal(*pid, Signal::STOP));
    if trouble.suspend > 0 {
        // Past the age at which a dead holder loses the lock.
        std::thread::sleep(Duration::from_millis(2_500));
    }
    suspended
        .iter()
        .for_each(|pid| harness::signal(*pid, Signal::CONT));
}

/// Holds the journal against what was acknowledged.
fn count<'a>(folder: &Path, acknowledged: impl Iterator<Item = &'a String>, figures: &mut Figures) {
    let journal = fs::read_to_string(folder.join("j.jsonl")).unwrap();
    let mut by_line = BTreeMap::<&str, u64>::new();
    let mut by_event = BTreeMap::<String, u64>::new();
    for (index, line) in journal.split_inclusive('\n').enumerate() {
        let entry: Value = serde_json::from_str(line).unwrap();
        if entry["journalSequence"] != index as u64 + 1 {
            figures.wrong_winners += 1;
        }
        *by_event.entry(entry["eventId"].to_string()).or_default() += 1;
        *by_line.entry(line).or_default() += 1;
        figures.stored += 1;
    }
    figures.wrong_winners += by_event.values().filter(|count| **count > 1).count() as u64;
    for line in acknowledged {
        figures.acknowledged += 1;
        figures.lost += u64::from(!by_line.contains_key(line.as_str()));
    }
    let verified = run("lcjournal verify j.jsonl", folder);
    assert!(verified.status.success(), "{}", text(&verified.stdout));
}

#[test]
#[ignore = "a campaign: make crash, make contention"]
fn writers_some_of_whom_are_killed() {
    let mut figures = Figures::default();
    let pause = Duration::from_millis(7);
    round(
        6,
        40,
        &Trouble {
            kill: 2,
            suspend: 1,
            pause,
        },
        &mut figures,
    );
    figures.assert_clean();
}

/// The whole of it: `make contention`.
#[test]
#[ignore = "long"]
fn sixteen_writers_a_third_of_whom_are_killed() {
    let mut figures = Figures::default();
    for number in 0..rounds() {
        let pause = Duration::from_micros(500 + number * 7_919 % 23_000);
        round(
            16,
            500,
            &Trouble {
                kill: 5,
                suspend: 1,
                pause,
            },
            &mut figures,
        );
    }
    figures.assert_clean();
}

/// A lock whose owner is dead, and so many who want it: one after the other gets it.
fn dead_owner(contenders: usize, figures: &mut Figures) {
    let folder = tempfile::tempdir().unwrap();
    let mut dead = Command::new("true").spawn().unwrap();
    let pid = dead.id();
    dead.wait().unwrap();
    let lock = folder.path().join("j.jsonl.lock");
    fs::create_dir(&lock).unwrap();
    let read = |path: &str| {
        fs::read_to_string(path)
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    let namespace = fs::read_link("/proc/self/ns/pid").unwrap();
    let owner = serde_json::json!({
        "pid": pid, "token": "dead", "createdAt": "2026-01-01T00:00:00.000Z",
        "bootId": read("/proc/sys/kernel/random/boot_id"), "pidNamespace": namespace,
        "startTime": 1,
    });
    fs::write(lock.join("owner.json"), owner.to_string()).unwrap();
    let children: Vec<Child> = (0..contenders).map(|_| start(folder.path())).collect();
    let acknowledged: Vec<String> = std::thread::scope(|scope| {
        let feeding: Vec<_> = children
            .into_iter()
            .enumerate()
            .map(|(writer, mut child)| {
                scope.spawn(move || {
                    let lines = feed(&mut child, writer, 1);
                    assert!(child.wait().unwrap().success());
                    lines
                })
            })
            .collect();
        feeding
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    });
    assert_eq!(acknowledged.len(), contenders);
    figures.rounds += 1;
    count(folder.path(), acknowledged.iter(), figures);
}

#[test]
#[ignore = "a campaign: make crash, make contention"]
fn a_dead_owners_lock_is_had_by_one_at_a_time() {
    let mut figures = Figures::default();
    (0..3).for_each(|_| dead_owner(6, &mut figures));
    figures.assert_clean();
}

/// The whole of it: `make contention`.
#[test]
#[ignore = "long"]
fn ten_who_want_a_dead_owners_lock() {
    let mut figures = Figures::default();
    (0..2 * rounds()).for_each(|_| dead_owner(10, &mut figures));
    figures.assert_clean();
}

/// Another implementation: mkdir, owner.json, append, rm; it counts by reading the last line.
fn other_implementation(folder: &Path, times: usize) {
    let (lock, journal) = (folder.join("j.jsonl.lock"), folder.join("j.jsonl"));
    for turn in 0..times {
        while fs::create_dir(&lock).is_err() {
            std::thread::sleep(Duration::from_micros(300));
        }
        let owner = serde_json::json!({
            "pid": std::process::id(), "token": turn.to_string(),
            "createdAt": jiff::Timestamp::now().to_string(),
        });
        fs::write(lock.join("owner.json"), owner.to_string()).unwrap();
        let before = fs::read_to_string(&journal).unwrap_or_default();
        let last = before.lines().next_back().map_or(0, |line| {
            serde_json::from_str::<Value>(line).unwrap()["journalSequence"]
                .as_u64()
                .unwrap()
        });
        let event = event(&format!("other-{turn}"));
        let event = event.trim_end().strip_suffix('}').unwrap();
        let line = format!("{event},\"journalSequence\":{}}}\n", last + 1);
        let mut file = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&journal)
            .unwrap();
        file.write_all(line.as_bytes()).unwrap();
        fs::remove_dir_all(&lock).unwrap();
    }
}

fn beside_another(times: usize) {
    let folder = tempfile::tempdir().unwrap();
    let acknowledged = std::thread::scope(|scope| {
        scope.spawn(|| other_implementation(folder.path(), times));
        let mut child = start(folder.path());
        let lines = feed(&mut child, 0, times);
        assert!(child.wait().unwrap().success());
        lines
    });
    let mut figures = Figures::default();
    count(folder.path(), acknowledged.iter(), &mut figures);
    assert_eq!(figures.stored, 2 * times as u64);
    figures.assert_clean();
}

#[test]
#[ignore = "a campaign: make crash, make contention"]
fn beside_another_implementation() {
    beside_another(100);
}

/// The whole of it: `make contention`.
#[test]
#[ignore = "long"]
fn a_thousand_beside_another_implementation() {
    beside_another(1_000);
}
