//! Pipe manners: what every program owes a pipeline, tried on each of them.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::harness::{self, code, evosci, run, text};

/// Each program as a filter from stdin to stdout that has much to say about `big`.
const FILTERS: [(&str, &str); 4] = [
    ("evosci2lc", "evosci2lc"),
    ("lcjournal", "lcjournal append --sync none j.jsonl"),
    ("lcproject", "lcproject --updates"),
    ("lcsnap", "lcsnap reconcile --against /dev/null"),
];

/// An input of each filter's kind, repeated until it is far larger than a pipe holds.
fn big(program: &str, folder: &Path) -> std::path::PathBuf {
    let stream = fs::read(evosci("mixed")).unwrap();
    let native = folder.join("native.jsonl");
    let body = &stream[..stream.len()
        - stream
            .split_inclusive(|b| *b == b'\n')
            .next_back()
            .unwrap()
            .len()];
    fs::write(&native, body.repeat(100)).unwrap();
    if program == "evosci2lc" {
        return native;
    }
    if program == "lcsnap" {
        return snapshots(folder);
    }
    let output = run("evosci2lc --allow stream_ended native.jsonl", folder);
    let events = folder.join("events.jsonl");
    fs::write(&events, output.stdout).unwrap();
    assert!(fs::metadata(&events).unwrap().len() > 1 << 20);
    events
}

/// Snapshots that each tell of a child nobody knew.
fn snapshots(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("snapshots.jsonl");
    let line = |number| {
        format!(
            "{{\"source\":\"s\",\"sourceEpoch\":\"x\",\"snapshotId\":\"p{number}\",\
             \"observedAt\":\"2026-08-24T09:00:00Z\",\"complete\":true,\"coverage\":[\"c{number}\"],\
             \"children\":[{{\"childId\":\"c{number}\",\"state\":\"running\"}}]}}\n"
        )
    };
    let lines: String = (0..10_000).map(line).collect();
    assert!(lines.len() > 1 << 20);
    fs::write(&path, lines).unwrap();
    path
}

#[test]
fn a_full_disk_ends_with_74_and_a_word() {
    for (program, filter) in FILTERS {
        let scratch = tempfile::tempdir().unwrap();
        let input = big(program, scratch.path());
        let script = format!("{filter} <{} >/dev/full", input.display());
        let output = run(&script, scratch.path());
        assert_eq!(
            code(output.status),
            74,
            "{filter}: {}",
            text(&output.stderr)
        );
        let said = text(&output.stderr);
        assert!(
            said.contains("standard output") && said.contains("No space left"),
            "{said}"
        );
    }
}

#[test]
fn a_reader_that_leaves_ends_a_filter_quietly_by_sigpipe() {
    for (program, filter) in FILTERS {
        let scratch = tempfile::tempdir().unwrap();
        let input = big(program, scratch.path());
        let script = format!(
            "{{ {filter} <{}; echo $? >code; }} | head -n 1",
            input.display()
        );
        let output = run(&script, scratch.path());
        assert_eq!(text(&output.stdout).lines().count(), 1, "{filter}");
        assert_eq!(text(&output.stderr), "", "{filter}");
        let status = fs::read_to_string(scratch.path().join("code")).unwrap();
        // The journal is written to the end: its echo was only a by-product.
        let expected = if program == "lcjournal" { "0" } else { "141" };
        assert_eq!(status.trim(), expected, "{filter}");
        if program == "lcjournal" {
            let verify = run(
                "lcjournal verify j.jsonl && wc -l <j.jsonl && wc -l <events.jsonl",
                scratch.path(),
            );
            let said = text(&verify.stdout);
            let counts: Vec<_> = said.lines().skip(1).collect();
            assert_eq!(
                counts[0], counts[1],
                "all of the input is journaled: {said}"
            );
        }
    }
}

#[test]
fn closed_stdout_is_no_fault() {
    for (program, filter) in FILTERS {
        let scratch = tempfile::tempdir().unwrap();
        let input = big(program, scratch.path());
        let script = format!("{filter} <{} >&- 2>err; echo $?", input.display());
        let output = run(&format!("({script}) 2>&1; cat err"), scratch.path());
        let said = text(&output.stdout);
        // The native input has no end: that alone is found.
        assert!(!said.contains("panicked"), "{filter}: {said}");
    }
}

#[test]
fn a_writer_that_leaves_mid_line_is_told_and_nothing_before_is_lost() {
    let scratch = tempfile::tempdir().unwrap();
    let events = run(
        "evosci2lc --fixed-clock 2026-08-24T09:00:00Z \"$FIXTURES\"/evosci/error_038.jsonl",
        scratch.path(),
    );
    let whole = text(&events.stdout);
    let cut = &whole[..whole.len() - 20];
    fs::write(scratch.path().join("cut.jsonl"), cut).unwrap();
    let kept = cut.lines().count() - 1;
    let output = run("lcproject --updates cut.jsonl", scratch.path());
    assert_eq!(text(&output.stdout).lines().count(), kept);
    assert!(
        text(&output.stderr).contains("truncated_line"),
        "{}",
        text(&output.stderr)
    );
    assert_eq!(code(output.status), 1);
    let output = run("lcjournal append j.jsonl <cut.jsonl", scratch.path());
    assert_eq!(text(&output.stdout).lines().count(), kept);
    assert!(
        text(&output.stderr).contains("truncated_line"),
        "{}",
        text(&output.stderr)
    );
    assert_eq!(code(output.status), 1);
    // A last line that is whole, but for its LF, counts.
    fs::write(scratch.path().join("bare.jsonl"), whole.trim_end()).unwrap();
    let output = run("lcproject bare.jsonl", scratch.path());
    assert_eq!(text(&output.stderr), "");
    assert_eq!(code(output.status), 0);
}

#[test]
fn a_slow_writer_gets_its_output_before_the_pipe_closes() {
    for (program, filter) in FILTERS {
        let scratch = tempfile::tempdir().unwrap();
        let input = fs::read(big(program, scratch.path())).unwrap();
        let first = input.split_inclusive(|byte| *byte == b'\n').next().unwrap();
        let (mut child, mut stdin) = harness::open(filter, scratch.path());
        stdin.write_all(&first[..first.len() / 2]).unwrap();
        std::thread::sleep(Duration::from_millis(50));
        stdin.write_all(&first[first.len() / 2..]).unwrap();
        let start = Instant::now();
        let mut byte = [0];
        child
            .stdout
            .as_mut()
            .unwrap()
            .read_exact(&mut byte)
            .unwrap();
        assert!(start.elapsed() < Duration::from_secs(5), "{filter}");
        drop(stdin);
        harness::finish(child);
    }
}

#[test]
fn a_directory_or_missing_file_is_told_and_the_others_are_done() {
    for program in ["evosci2lc", "lcproject"] {
        let scratch = tempfile::tempdir().unwrap();
        let good = if program == "evosci2lc" {
            evosci("tools_038")
        } else {
            let output = run(
                "evosci2lc \"$FIXTURES\"/evosci/tools_038.jsonl",
                scratch.path(),
            );
            fs::write(scratch.path().join("good.jsonl"), output.stdout).unwrap();
            scratch.path().join("good.jsonl")
        };
        fs::create_dir(scratch.path().join("folder")).unwrap();
        for bad in ["folder", "missing.jsonl"] {
            let output = run(
                &format!("{program} {bad} {}", good.display()),
                scratch.path(),
            );
            assert_eq!(code(output.status), 74, "{program} {bad}");
            assert!(
                text(&output.stderr).contains(bad),
                "{}",
                text(&output.stderr)
            );
            assert!(
                text(&output.stdout).contains("completed"),
                "{program} {bad}"
            );
        }
    }
}

#[test]
fn a_directory_is_no_journal() {
    let scratch = tempfile::tempdir().unwrap();
    fs::create_dir(scratch.path().join("folder")).unwrap();
    let output = run("lcjournal append folder", scratch.path());
    assert_eq!(code(output.status), 2, "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("folder"));
}

#[test]
fn version_and_help_do_not_wait_for_input() {
    for (program, path) in harness::PROGRAMS {
        for option in ["--version", "--help", "-h"] {
            let mut command = Command::new(path);
            harness::prepare(&mut command);
            // A pipe that stays open and silent, as `sleep 60 | X --version` has it.
            let mut child = command.arg(option).stdin(Stdio::piped()).spawn().unwrap();
            let stdin = child.stdin.take();
            let output = harness::finish(child);
            drop(stdin);
            assert_eq!(code(output.status), 0, "{program} {option}");
            assert!(text(&output.stdout).contains(program), "{program} {option}");
        }
    }
}

#[test]
fn a_wrong_option_is_a_usage_error() {
    for (program, _) in harness::PROGRAMS {
        let scratch = tempfile::tempdir().unwrap();
        let output = run(&format!("{program} --no-such-option"), scratch.path());
        assert_eq!(code(output.status), 2, "{program}");
        assert!(
            text(&output.stderr).contains("--no-such-option"),
            "{program}"
        );
    }
}

#[test]
fn sigterm_ends_at_once_and_cleanly() {
    for (program, filter) in FILTERS {
        let scratch = tempfile::tempdir().unwrap();
        let input = fs::read(big(program, scratch.path())).unwrap();
        let (mut child, mut stdin) = harness::open(filter, scratch.path());
        let first = input.split_inclusive(|byte| *byte == b'\n').next().unwrap();
        stdin.write_all(first).unwrap();
        let mut byte = [0];
        child
            .stdout
            .as_mut()
            .unwrap()
            .read_exact(&mut byte)
            .unwrap();
        harness::signal(child.id(), Signal::TERM);
        let output = harness::finish(child);
        assert_eq!(
            code(output.status),
            143,
            "{filter}: {}",
            text(&output.stderr)
        );
        let mut out = byte.to_vec();
        out.extend(output.stdout);
        assert!(out.ends_with(b"\n"), "{filter}: no half line");
        drop(stdin);
    }
}

#[test]
fn sigterm_is_heard_while_the_reader_sleeps() {
    for (program, filter) in FILTERS {
        let scratch = tempfile::tempdir().unwrap();
        let input = big(program, scratch.path());
        let mut child = harness::sh(&format!("exec {filter}"), scratch.path())
            .stdin(harness::stdin_of(&input))
            .spawn()
            .unwrap();
        // Nobody reads: the program fills the pipe and waits.
        let held = child.stdout.take();
        std::thread::sleep(Duration::from_millis(300));
        harness::signal(child.id(), Signal::TERM);
        let start = Instant::now();
        let output = harness::finish(child);
        drop(held);
        assert_eq!(code(output.status), 143, "{filter}");
        assert!(start.elapsed() < Duration::from_secs(5), "{filter}");
    }
}

#[test]
fn the_first_sigint_waits_for_the_end_of_a_pipe_the_second_does_not() {
    for (program, filter) in FILTERS {
        let scratch = tempfile::tempdir().unwrap();
        let input = fs::read(big(program, scratch.path())).unwrap();
        let mut lines = input.split_inclusive(|byte| *byte == b'\n');
        let (mut child, mut stdin) = harness::open(filter, scratch.path());
        stdin.write_all(lines.next().unwrap()).unwrap();
        let mut byte = [0];
        child
            .stdout
            .as_mut()
            .unwrap()
            .read_exact(&mut byte)
            .unwrap();
        harness::signal(child.id(), Signal::INT);
        std::thread::sleep(Duration::from_millis(100));
        assert!(
            child.try_wait().unwrap().is_none(),
            "{filter}: the agent's last lines are to come"
        );
        stdin.write_all(lines.next().unwrap()).unwrap();
        std::thread::sleep(Duration::from_millis(100));
        harness::signal(child.id(), Signal::INT);
        let output = harness::finish(child);
        assert_eq!(code(output.status), 130, "{filter}");
        assert!(text(&output.stdout).lines().count() >= 2, "{filter}");
        drop(stdin);
    }
}

#[test]
fn sigterm_ends_a_wait_for_the_lock() {
    for verb in ["append j.jsonl", "replay j.jsonl", "verify j.jsonl"] {
        let scratch = tempfile::tempdir().unwrap();
        // An end that is judged again under the lock, and a lock that nobody gives back.
        fs::write(scratch.path().join("j.jsonl"), "torn").unwrap();
        fs::create_dir(scratch.path().join("j.jsonl.lock")).unwrap();
        let mut child = harness::sh(&format!("exec lcjournal {verb}"), scratch.path())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(300));
        assert!(child.try_wait().unwrap().is_none(), "{verb} does not wait");
        harness::signal(child.id(), Signal::TERM);
        let output = harness::finish(child);
        assert_eq!(code(output.status), 143, "{verb}: {}", text(&output.stderr));
    }
}
