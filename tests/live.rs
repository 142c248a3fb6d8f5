//! `lcproject --live`: what silence does, what is asked, and that nothing is left behind.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::harness::{self, code, run, text};

/// Three events that leave child `c` running.
const EVENTS: &str =
    "head -n 3 \"$FIXTURES\"/../cases/lcproject/contract-6-not-by-silence-alone/in";

/// A command that answers with a snapshot in which `c` runs, and notes why it was asked.
const ANSWER: &str = r#"#!/bin/sh
echo "$LC_REASON" >>reasons
n=$(wc -l <reasons)
echo '{"source":"s","sourceEpoch":"x","snapshotId":"p'$n'","observedAt":"'$(date -u +%Y-%m-%dT%H:%M:%SZ)'","complete":true,"coverage":"all","children":[{"childId":"c","state":"running"}]}'
"#;

fn with_answer(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let path = folder.join("answer");
    fs::write(&path, ANSWER).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// The words of the commentary that matter here.
fn words(stdout: &[u8]) -> Vec<String> {
    let said = text(stdout);
    let word = |line: &str| {
        let has = |part: &str| line.contains(part);
        if has("\"type\":\"update\"") {
            None
        } else if has("\"type\":\"intent\"") && has("\"reason\":\"stale\"") {
            Some("asked")
        } else if has("\"type\":\"synthesized\"") && has("\"state\":\"lost\"") {
            Some("lost")
        } else if has("\"type\":\"progress\"") && has("\"stale\":true") {
            Some("stale")
        } else if has("\"type\":\"progress\"") && has("\"state\":\"running\"") {
            Some("fresh")
        } else {
            None
        }
    };
    said.lines().filter_map(word).map(str::to_owned).collect()
}

#[test]
fn silence_is_told_while_it_lasts_and_loses_nobody() {
    let scratch = tempfile::tempdir().unwrap();
    let script = format!("({EVENTS}; sleep 2) | lcproject --live --stale-after 500ms");
    let output = run(&script, scratch.path());
    assert_eq!(words(&output.stdout), ["asked", "stale"]);
    assert_eq!(
        (text(&output.stderr), code(output.status)),
        (String::new(), 0)
    );
}

#[test]
fn a_snapshot_that_lists_the_child_brings_it_back() {
    let scratch = tempfile::tempdir().unwrap();
    with_answer(scratch.path());
    let script = format!(
        "({EVENTS}; sleep 2) | lcproject --live --stale-after 1200ms --snapshot-cmd ./answer"
    );
    let output = run(&script, scratch.path());
    let said = words(&output.stdout);
    assert!(
        said.ends_with(&["asked".into(), "stale".into(), "fresh".into()]),
        "{said:?}"
    );
    let reasons = fs::read_to_string(scratch.path().join("reasons")).unwrap();
    assert_eq!(reasons, "session_open\nstale\n");
}

#[test]
fn a_child_is_lost_when_the_command_fails_for_it() {
    let scratch = tempfile::tempdir().unwrap();
    for command in [
        "false",
        "sh -c \"echo junk\"",
        "true",
        "./missing",
        "sleep 60",
    ] {
        let script = format!(
            "({EVENTS}; sleep 1.5) | lcproject --live --stale-after 500ms \
             --snapshot-timeout 300ms --snapshot-cmd '{command}'"
        );
        let output = run(&script, scratch.path());
        assert_eq!(
            words(&output.stdout),
            ["asked", "stale", "lost"],
            "{command}"
        );
        let said = text(&output.stderr);
        assert!(
            said.contains("session_open") || said.contains("malformed_json"),
            "{said}"
        );
        assert_eq!(said.lines().count(), 2, "{said}");
        assert_eq!(code(output.status), 0);
    }
}

#[test]
fn gaps_and_the_clock_are_reasons_and_no_two_commands_run_at_once() {
    let scratch = tempfile::tempdir().unwrap();
    let gap = "head -n 4 \"$FIXTURES\"/../cases/lcproject/contract-3-gap-is-provisional-and-a-new-epoch-restarts/in";
    let script = format!(
        "({gap}; sleep 2) | lcproject --live --snapshot-every 600ms --snapshot-cmd \
         'sh -c \"mkdir one || touch two; echo $LC_REASON >>reasons; sleep 0.2; rmdir one; false\"' \
         >out 2>err; cat reasons; ls"
    );
    let output = run(
        &script.replace("$LC_REASON", "\\$LC_REASON"),
        scratch.path(),
    );
    let said = text(&output.stdout);
    assert!(
        said.starts_with("session_open\nreconnect\nperiodic\n"),
        "{said}"
    );
    assert!(!said.contains("two"), "{said}");
}

#[test]
fn no_shell_reads_the_command() {
    let scratch = tempfile::tempdir().unwrap();
    let script = format!(
        "({EVENTS}; sleep 0.5) | lcproject --live --snapshot-cmd \
         'echo $(touch a); touch b & touch c | touch d' 2>err; ls"
    );
    let output = run(&script, scratch.path());
    assert!(
        text(&output.stdout).ends_with("err\n"),
        "{}",
        text(&output.stdout)
    );
    assert_eq!(text(&output.stdout).lines().last(), Some("err"));
    for wrong in ["\"unclosed", ""] {
        let script = format!("lcproject --live --snapshot-cmd '{wrong}'");
        assert_eq!(code(run(&script, scratch.path()).status), 2, "{wrong}");
    }
}

#[test]
fn the_end_of_the_input_and_sigterm_end_a_running_command() {
    let scratch = tempfile::tempdir().unwrap();
    let command = "sh -c \"echo $$ >pid; sleep 60 & wait\"";
    let begun = Instant::now();
    let script = format!("({EVENTS}; sleep 0.5) | lcproject --live --snapshot-cmd '{command}'");
    let output = run(&script, scratch.path());
    assert_eq!(code(output.status), 0);
    assert!(words(&output.stdout).is_empty() && text(&output.stderr).is_empty());
    is_gone(scratch.path());
    let script = format!("exec lcproject --live --snapshot-cmd '{command}'");
    let mut child = harness::sh(&script, scratch.path())
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let stdin = child.stdin.take();
    while fs::read_to_string(scratch.path().join("pid"))
        .unwrap_or_default()
        .is_empty()
    {
        assert!(begun.elapsed() < harness::PATIENCE);
        std::thread::sleep(Duration::from_millis(10));
    }
    harness::signal(child.id(), Signal::TERM);
    assert_eq!(code(harness::finish(child).status), 143);
    drop(stdin);
    is_gone(scratch.path());
    assert!(begun.elapsed() < Duration::from_secs(20));
}

/// The process that noted its id is no longer there; the note is taken away.
fn is_gone(folder: &Path) {
    let note = folder.join("pid");
    let pid = fs::read_to_string(&note).unwrap();
    fs::remove_file(&note).unwrap();
    let there = Path::new("/proc").join(pid.trim());
    assert!(!there.exists(), "{there:?}");
}

#[test]
fn a_tree_is_drawn_over_itself_on_a_terminal_and_stays() {
    let scratch = tempfile::tempdir().unwrap();
    let inner = format!(
        "stty rows 12 cols 60; ({EVENTS}; sleep 1.5) | TERM=xterm NO_COLOR=1 lcproject --live --tree"
    );
    fs::write(scratch.path().join("inner"), inner).unwrap();
    let output = run("script -qec 'sh ./inner' /dev/null", scratch.path());
    let said = text(&output.stdout).replace('\r', "");
    assert_eq!(code(output.status), 0, "{said}");
    let frames: Vec<_> = said.split("\x1b[3F\x1b[J").collect();
    assert!((3..=6).contains(&frames.len()), "silence is seen: {said:?}");
    let last = frames.last().unwrap();
    assert!(last.contains("● c  running"), "{said:?}");
    assert!(last.ends_with("\n\n1 child: 1 running\n"), "{said:?}");
    assert!(
        !last.contains('\x1b') && !said.contains("\x1b[?"),
        "{said:?}"
    );
}

#[test]
fn a_terminal_is_left_in_order_when_a_signal_ends_the_tree() {
    let scratch = tempfile::tempdir().unwrap();
    let inner = format!(
        "({EVENTS}; sleep 1) | {{ lcproject --live --tree <&3 & p=$!; sleep 0.6; kill $p; \
         wait $p; echo ended $?; }} 3<&0"
    );
    fs::write(scratch.path().join("inner"), inner).unwrap();
    let output = run(
        "TERM=xterm script -qec 'sh ./inner' /dev/null",
        scratch.path(),
    );
    let said = text(&output.stdout).replace('\r', "");
    assert!(
        said.ends_with("1 child: 1 running\nended 143\n"),
        "{said:?}"
    );
    assert!(!said.contains("\x1b[?"), "{said:?}");
}

#[test]
fn a_tree_in_a_pipe_is_told_as_updates() {
    let scratch = tempfile::tempdir().unwrap();
    let tree = run(
        &format!("{EVENTS} | lcproject --live --tree"),
        scratch.path(),
    );
    let plain = run(&format!("{EVENTS} | lcproject --live"), scratch.path());
    assert_eq!(text(&tree.stdout), text(&plain.stdout));
    assert_eq!(text(&tree.stdout).lines().count(), 3);
    let table = run("lcproject --live --table", scratch.path());
    assert_eq!(code(table.status), 2);
}
