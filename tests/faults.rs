//! Faults injected into the system calls of a real append, by strace: each call in turn fails, or
//! the program is killed there. Whatever happens: what was acknowledged on stdout is in the
//! journal, nothing is half stored, and the next append works.
//!
//! `cargo test` fails every call once; `make crash` is the whole of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::harness::{self, code, run, say, text};

/// The calls that are failed; what other systems call differently stands beside it.
const CALLS: &str = "write,pwrite64,read,pread64,fdatasync,fsync,ftruncate,rename,renameat,\
                     renameat2,mkdir,mkdirat,unlink,unlinkat,rmdir,open,openat,close,fstat,\
                     newfstatat,lstat,flock,getrandom";

/// What a campaign came to.
#[derive(Debug, Default)]
struct Figures {
    injected: AtomicUsize,
    acknowledged: AtomicUsize,
    lost: AtomicUsize,
    /// How the appends ended: how many with which status.
    ended: Mutex<BTreeMap<i32, usize>>,
    faults: Mutex<Vec<String>>,
}

/// A journal as it is before the append: none, or one of two entries.
#[derive(Clone, Copy, Debug)]
struct Scene {
    before: usize,
    sync: &'static str,
}

const SCENES: [Scene; 3] = [
    Scene {
        before: 0,
        sync: "batch",
    },
    Scene {
        before: 2,
        sync: "entry",
    },
    Scene {
        before: 2,
        sync: "none",
    },
];

fn six() -> String {
    fs::read_to_string(harness::root().join("tests/fixtures/journal/six.jsonl")).unwrap()
}

/// A folder with the journal as it was, and the events `new.jsonl`.
fn folder(scene: Scene) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let lines = six();
    let lines: Vec<&str> = lines.split_inclusive('\n').collect();
    if scene.before > 0 {
        // By the program itself, so that there is a state.
        fs::write(
            folder.path().join("old.jsonl"),
            lines[..scene.before].concat(),
        )
        .unwrap();
        let made = run(
            "lcjournal append --quiet --sync none j.jsonl old.jsonl",
            folder.path(),
        );
        assert!(made.status.success(), "{}", text(&made.stderr));
    }
    fs::write(
        folder.path().join("new.jsonl"),
        lines[scene.before..].concat(),
    )
    .unwrap();
    folder
}

fn append(scene: Scene) -> String {
    format!("lcjournal append --sync {} j.jsonl new.jsonl", scene.sync)
}

/// The calls of an append from the first that names the journal on: name, and the how manieth of
/// that name in the whole run.
fn calls(scene: Scene) -> Vec<(String, usize)> {
    let folder = folder(scene);
    let script = format!(
        "strace -f -e trace={} -o trace {} >echo",
        known(),
        append(scene)
    );
    let traced = run(&script, folder.path());
    assert!(
        traced.status.success(),
        "strace is needed, and must be allowed: {}",
        text(&traced.stderr)
    );
    let trace = fs::read_to_string(folder.path().join("trace")).unwrap();
    let mut counts = BTreeMap::<String, usize>::new();
    let mut found = Vec::new();
    for line in trace.lines() {
        let Some((head, _)) = line.split_once('(') else {
            continue;
        };
        let name = head.rsplit(' ').next().unwrap_or(head).to_owned();
        let count = counts.entry(name.clone()).or_default();
        *count += 1;
        if !found.is_empty() || line.contains("j.jsonl") && !line.contains("execve") {
            found.push((name, *count));
        }
    }
    assert!(found.len() > 30, "{trace}");
    found
}

/// Those of [`CALLS`] that strace knows here.
fn known() -> String {
    CALLS
        .split(',')
        .map(|call| format!("?{call}"))
        .collect::<Vec<_>>()
        .join(",")
}

/// One append with one fault, and what must be true afterwards.
fn inject(scene: Scene, call: &(String, usize), fault: &str, figures: &Figures) {
    let (name, nth) = call;
    let what = format!("{scene:?} {name}#{nth} {fault}");
    let folder = folder(scene);
    let script = format!(
        "strace -f -e trace={name} -e inject={name}:{fault}:when={nth} -o trace {} >echo",
        append(scene)
    );
    let output = run(&script, folder.path());
    figures.injected.fetch_add(1, Ordering::Relaxed);
    let mut wrong = Vec::new();
    let status = code(output.status);
    let trace = fs::read_to_string(folder.path().join("trace")).unwrap_or_default();
    if !trace.contains("(INJECTED)") && !trace.contains("+++ killed by SIGKILL +++") {
        wrong.push("nothing was injected".to_owned());
    }
    *figures.ended.lock().unwrap().entry(status).or_default() += 1;
    if ![0, 2, 65, 74, 75, 127, 137].contains(&status) {
        wrong.push(format!("it ended with {status}"));
    }
    if ![0, 137].contains(&status) && output.stderr.is_empty() {
        wrong.push(format!("it ended with {status} without a word"));
    }
    check(folder.path(), scene, figures, &mut wrong);
    if !wrong.is_empty() {
        let said = text(&output.stderr);
        let mut faults = figures.faults.lock().unwrap();
        faults.push(format!("{what}: {} ({said})", wrong.join("; ")));
    }
}

/// What was acknowledged is there, nothing is half there, the next append works.
fn check(folder: &Path, scene: Scene, figures: &Figures, wrong: &mut Vec<String>) {
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
    let (echo, journal) = (read("echo"), read("j.jsonl"));
    let whole = |text: &str| {
        text.split_inclusive('\n')
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let stored = whole(&journal);
    for line in whole(&echo).iter().filter(|line| line.ends_with('\n')) {
        figures.acknowledged.fetch_add(1, Ordering::Relaxed);
        if !stored.contains(line) {
            figures.lost.fetch_add(1, Ordering::Relaxed);
            wrong.push("an acknowledged entry is lost".to_owned());
        }
    }
    if !six().starts_with(&journal) || stored.len() < scene.before {
        wrong.push(format!(
            "the journal is not a beginning of what was sent: {journal}"
        ));
    }
    let verified = run("lcjournal verify j.jsonl", folder);
    if !verified.status.success() {
        wrong.push(format!("verify: {}", text(&verified.stdout)));
    }
    let script = "tail -n 1 new.jsonl | lcjournal append j.jsonl | jq .journalSequence";
    let next = run(script, folder);
    let number = text(&next.stdout).trim().parse().unwrap_or(0);
    if stored.len() + 1 != number {
        wrong.push(format!(
            "the next append gave {number}: {}",
            text(&next.stderr)
        ));
    }
}

/// All of it, by as many threads: most of a killed holder's time is waiting for the lock's age.
fn campaign(jobs: &[(Scene, (String, usize), &str)], threads: usize) -> Figures {
    let figures = Figures::default();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((scene, call, fault)) =
                    jobs.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    inject(*scene, call, fault, &figures);
                }
            });
        }
    });
    let faults = figures.faults.lock().unwrap();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    drop(faults);
    figures
}

#[test]
#[ignore = "a campaign: make crash, make contention"]
fn a_call_that_fails_loses_nothing() {
    let scene = SCENES[0];
    let jobs: Vec<_> = calls(scene)
        .into_iter()
        .map(|call| (scene, call, "error=EIO"))
        .collect();
    let figures = campaign(&jobs, 4);
    assert_eq!(figures.lost.into_inner(), 0);
}

#[test]
#[ignore = "a campaign: make crash, make contention"]
fn a_holder_killed_while_writing_loses_nothing() {
    let scene = SCENES[0];
    let important = ["write", "fdatasync", "renameat2", "fsync", "pwrite64"];
    let jobs: Vec<_> = calls(scene)
        .into_iter()
        .filter(|(name, _)| important.contains(&name.as_str()))
        .map(|call| (scene, call, "signal=KILL"))
        .collect();
    assert!(jobs.len() >= 6, "{jobs:?}");
    assert_eq!(campaign(&jobs, 12).lost.into_inner(), 0);
}

/// The whole of it: `make crash`.
#[test]
#[ignore = "long"]
fn every_call_with_every_fault() {
    let faults = [
        "error=ENOSPC",
        "error=EIO",
        "error=EINTR",
        "error=EDQUOT",
        "signal=KILL",
    ];
    let mut jobs = Vec::new();
    for scene in SCENES {
        for call in calls(scene) {
            jobs.extend(faults.iter().map(|fault| (scene, call.clone(), *fault)));
        }
    }
    let figures = campaign(&jobs, 8);
    say(&format!("faults injected: {figures:?}"));
    assert_eq!(figures.lost.into_inner(), 0);
}

/// A file size limit ends the write after each number of bytes in turn: short, then failed.
fn short_write(room: usize, figures: &Figures) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let scene = Scene {
        before: 0,
        sync: "batch",
    };
    fs::write(folder.path().join("new.jsonl"), six()).unwrap();
    // Limits count in 512 bytes: white lines, which are no damage, place the end.
    let padding = 4_096 - room;
    fs::write(folder.path().join("j.jsonl"), "\n".repeat(padding)).unwrap();
    let script = format!("ulimit -f 8; {} >echo", append(scene));
    let output = run(&script, folder.path());
    figures.injected.fetch_add(1, Ordering::Relaxed);
    let mut wrong = Vec::new();
    if code(output.status) != 74 {
        wrong.push(format!(
            "room {room}: it ended with {}",
            code(output.status)
        ));
    }
    let left = fs::read_to_string(folder.path().join("j.jsonl")).unwrap();
    if left != "\n".repeat(padding) {
        wrong.push(format!("room {room}: the write was not undone"));
    }
    if !fs::read(folder.path().join("echo")).unwrap().is_empty() {
        wrong.push(format!("room {room}: acknowledged although it failed"));
    }
    let next = run(
        "lcjournal append j.jsonl new.jsonl | jq .journalSequence",
        folder.path(),
    );
    if text(&next.stdout) != "1\n2\n3\n4\n5\n6\n" {
        wrong.push(format!("room {room}: {}", text(&next.stderr)));
    }
    wrong
}

#[test]
#[ignore = "a campaign: make crash, make contention"]
fn a_short_write_is_undone() {
    let figures = Figures::default();
    let wrong: Vec<_> = (0..1_500)
        .step_by(211)
        .flat_map(|room| short_write(room, &figures))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The whole of it: `make crash`.
#[test]
#[ignore = "long"]
fn a_short_write_of_every_length_is_undone() {
    let figures = Figures::default();
    let wrong: Vec<_> = (0..six().len())
        .flat_map(|room| short_write(room, &figures))
        .collect();
    say(&format!(
        "short writes: {}, not undone: {}",
        figures.injected.into_inner(),
        wrong.len()
    ));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Acknowledged only once fdatasync has returned, and the folder synced for a new file.
#[test]
#[ignore = "a campaign: make crash, make contention"]
fn nothing_is_acknowledged_before_it_is_on_the_disk() {
    for scene in [SCENES[0], SCENES[1]] {
        let folder = folder(scene);
        let calls = "trace=write,fdatasync,?open,openat,?mkdir,?mkdirat,fsync";
        let script = format!(
            "strace -f -y -e {calls} -o trace {} | cat >echo",
            append(scene)
        );
        assert!(run(&script, folder.path()).status.success());
        let trace = fs::read_to_string(folder.path().join("trace")).unwrap();
        let (mut unsynced, mut acknowledged, mut folder_synced) = (0, 0, scene.before > 0);
        for line in trace.lines() {
            let call = line
                .split_once(' ')
                .map_or(line, |(_, call)| call.trim_start());
            if call.starts_with("write(1<") {
                acknowledged += 1;
                assert!(unsynced == 0 && folder_synced, "{trace}");
            } else if call.starts_with("write(") && call.contains("/j.jsonl>") {
                unsynced += 1;
            } else if call.starts_with("fdatasync(") && call.contains("/j.jsonl>") {
                assert!(call.trim_end().ends_with("= 0"), "{trace}");
                unsynced = 0;
            } else if call.starts_with("fsync(") {
                folder_synced = true;
            }
        }
        assert!(acknowledged > 0 && unsynced == 0, "{trace}");
    }
}
