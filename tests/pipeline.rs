//! The programs piped into each other, as people use them.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::harness::{self, code, evosci, run, text};

/// The last state of each child, first seen first, as jq sees the progress records.
const STATES: &str = "jq -r '.state' | paste -sd' '";

#[test]
fn every_real_stream_ends_as_it_did() {
    let cases = [
        ("parallel_038", "completed completed completed", 0),
        ("parallel_021", "completed completed completed", 0),
        ("seq_038", "completed completed completed completed", 0),
        ("fail_038", "completed failed", 0),
        ("error_038", "failed", 0),
        ("unreachable", "failed", 0),
        ("retry_exhaust", "failed", 0),
        ("error_mid", "failed completed", 0),
        ("panel", "completed completed completed failed failed", 0),
        ("panel_021", "completed failed", 0),
        ("hitl_interrupt", "waiting", 0),
        ("ask_interrupt", "waiting", 0),
        ("subhitl_interrupt", "waiting waiting completed", 0),
        ("kill_sigint", "running running running", 1),
        ("kill_sigkill", "running running running", 1),
        ("pipe_closed", "running running running", 1),
        ("reuseid", "completed completed completed", 0),
        ("retry", "completed completed", 0),
        ("thinking_anthropic", "completed completed", 0),
        ("rubric_unmet", "completed", 0),
        ("h_deep", "completed", 0),
        ("h_u2028", "completed", 0),
        ("h_traceback_ok", "completed", 0),
        ("h_unknown_tool", "completed", 0),
        ("tools_038", "completed", 0),
        ("summarize", "completed", 0),
        ("hitl_resume_yes", "completed", 0),
        ("mixed", "completed completed completed", 0),
        ("h_nan_args", "completed", 1),
        ("h_surrogate_text", "completed", 1),
    ];
    let shipped = fs::read_dir(harness::root().join("tests/fixtures/evosci"))
        .unwrap()
        .count();
    assert_eq!(shipped, cases.len(), "every shipped stream is here");
    for (name, states, status) in cases {
        let scratch = tempfile::tempdir().unwrap();
        let script = format!(
            "evosci2lc {} >e; echo $?; lcproject e | {STATES}",
            evosci(name).display()
        );
        let output = run(&script, scratch.path());
        assert_eq!(
            text(&output.stdout),
            format!("{status}\n{states}\n"),
            "{name}"
        );
    }
}

#[test]
fn how_the_process_ended_decides_what_became_of_an_open_run() {
    for (end, states, status) in [
        (r#""code":130"#, "cancelled cancelled cancelled", 0),
        (r#""code":143"#, "cancelled cancelled cancelled", 0),
        (r#""signal":"SIGINT""#, "cancelled cancelled cancelled", 0),
        (r#""signal":15"#, "cancelled cancelled cancelled", 0),
        (r#""code":137"#, "failed failed failed", 0),
        (r#""signal":9"#, "failed failed failed", 0),
        (r#""code":0"#, "running running running", 1),
    ] {
        for stream in ["kill_sigint", "kill_sigkill", "pipe_closed"] {
            let scratch = tempfile::tempdir().unwrap();
            let script = format!(
                "{{ cat {}; printf '\\n{{\"type\":\"runtime_exit\",%s}}\\n' '{end}'; }} |
                 evosci2lc --allow malformed_json >e; echo $?; lcproject e | {STATES}",
                evosci(stream).display()
            );
            let output = run(&script, scratch.path());
            let expected = format!("{status}\n{states}\n");
            assert_eq!(
                text(&output.stdout),
                expected,
                "{stream} {end}: {}",
                text(&output.stderr)
            );
        }
    }
}

#[test]
fn expectations_become_exit_statuses() {
    for (stream, status) in [
        ("error_mid", 1),
        ("kill_sigint", 1),
        ("hitl_interrupt", 1),
        ("parallel_038", 0),
    ] {
        let scratch = tempfile::tempdir().unwrap();
        let script = format!(
            "evosci2lc {} | lcproject --expect completed >out",
            evosci(stream).display()
        );
        let output = run(&script, scratch.path());
        assert_eq!(
            code(output.status),
            status,
            "{stream}: {}",
            text(&output.stderr)
        );
    }
}

#[test]
fn a_line_comes_out_of_the_far_end_within_a_second_though_the_pipe_stays_open() {
    let scratch = tempfile::tempdir().unwrap();
    let script = "evosci2lc | lcjournal append run.jsonl | lcproject --updates";
    let mut child = harness::sh(script, scratch.path())
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut updates = BufReader::new(child.stdout.take().unwrap()).lines();
    // The root is announced before the agent has said a word.
    wait_for(&mut updates, "\"state\":\"starting\"");
    for tool in ["first", "second", "third"] {
        let start = Instant::now();
        writeln!(
            stdin,
            r#"{{"type":"tool_call","name":"{tool}","args":{{}},"id":"{tool}"}}"#
        )
        .unwrap();
        wait_for(&mut updates, tool);
        assert!(
            start.elapsed() < Duration::from_secs(1),
            "{tool}: {:?}",
            start.elapsed()
        );
    }
    drop(stdin);
    harness::wait(&mut child);
}

fn wait_for(updates: &mut impl Iterator<Item = std::io::Result<String>>, what: &str) {
    let found = updates.find(|line| line.as_ref().is_ok_and(|line| line.contains(what)));
    assert!(found.is_some(), "{what} does not come");
}

#[test]
fn ctrl_c_loses_nothing_of_what_the_agent_still_says() {
    // An agent that needs two seconds to stop, then writes its last lines.
    let agent = r#"#!/bin/sh
trap 'sleep 2; echo "{\"type\":\"text\",\"content\":\"last words\"}"; exit 130' INT
cat "$FIXTURES"/evosci/kill_sigint.jsonl
: >ready
while :; do sleep 0.05; done
"#;
    for shell in ["bash", "dash"] {
        let scratch = tempfile::tempdir().unwrap();
        fs::write(scratch.path().join("agent"), agent).unwrap();
        let wrapper = r#"{ trap : INT; sh ./agent; printf '\n{"type":"runtime_exit","code":%d}\n' $?; } |
            evosci2lc | lcjournal append run.jsonl | lcproject"#;
        let mut command = std::process::Command::new(shell);
        command.arg("-c").arg(wrapper).current_dir(scratch.path());
        harness::prepare(&mut command);
        let child = command.process_group(0).spawn().unwrap();
        let start = Instant::now();
        while !scratch.path().join("ready").exists() {
            assert!(
                start.elapsed() < harness::PATIENCE,
                "the agent does not start"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
        std::thread::sleep(Duration::from_millis(200));
        let group = rustix::process::Pid::from_raw(child.id() as i32).unwrap();
        rustix::process::kill_process_group(group, rustix::process::Signal::INT).unwrap();
        let output = harness::finish(child);
        let said = text(&output.stdout);
        assert_eq!(
            said.matches("\"state\":\"cancelled\"").count(),
            3,
            "{shell}: {said}"
        );
        let journal = fs::read_to_string(scratch.path().join("run.jsonl")).unwrap();
        assert!(
            journal.contains("\"responding\""),
            "{shell}: the last words are journaled"
        );
        assert_eq!(journal.matches("\"cancelled\"").count(), 3, "{shell}");
        let verify = run("lcjournal verify run.jsonl", scratch.path());
        assert_eq!(code(verify.status), 0, "{shell}");
    }
}

#[test]
fn eight_pipelines_share_one_journal() {
    for _ in 0..3 {
        let scratch = tempfile::tempdir().unwrap();
        let script = "for i in 1 2 3 4 5 6 7 8; do
            evosci2lc --source-epoch run-$i \"$FIXTURES\"/evosci/mixed.jsonl |
            lcjournal append --quiet one.jsonl & done; wait
            evosci2lc \"$FIXTURES\"/evosci/mixed.jsonl | wc -l
            jq -s 'map(.journalSequence) == [range(1; length + 1)]' one.jsonl
            wc -l <one.jsonl; lcjournal verify one.jsonl >summary; echo $?";
        let output = run(script, scratch.path());
        let said = text(&output.stdout);
        let lines: Vec<_> = said.lines().map(str::trim).collect();
        let one: usize = lines[0].parse().unwrap();
        assert_eq!(
            lines[1..],
            ["true", &(8 * one).to_string(), "0"],
            "{}",
            text(&output.stderr)
        );
    }
}

#[test]
fn secrets_in_tool_arguments_never_reach_the_journal() {
    let scratch = tempfile::tempdir().unwrap();
    let stream = concat!(
        r#"{"type":"tool_call","name":"http","args":{"headers":{"Authorization":"Bearer hunter2hunter2"}},"id":"1"}"#,
        "\n",
        r#"{"type":"tool_call","name":"execute","args":{"command":"curl -H 'Authorization: Bearer hunter2hunter2' https://u:hunter2@h/"},"id":"2"}"#,
        "\n",
        r#"{"type":"tool_call","name":"post","args":{"body":"{\"api_key\":\"hunter2\",\"input_tokens\":7}"},"id":"3"}"#,
        "\n",
        r#"{"type":"tool_result","name":"post","content":"Error: password=hunter2","success":false,"id":"3"}"#,
        "\n",
        r#"{"type":"usage_stats","input_tokens":100,"output_tokens":20}"#,
        "\n",
        r#"{"type":"done","content":"x","response":"the key is sk-hunter2hunter2hunter2hunter2"}"#,
        "\n",
    );
    fs::write(scratch.path().join("s"), stream).unwrap();
    // Also events that another adapter did not redact.
    let event = r#"{"schemaVersion":1,"eventId":"e","source":"s","sourceEpoch":"x","childId":"c","lineage":{"rootChildId":"c","attempt":0,"external":false},"kind":"created","state":"created","observedAt":"2026-08-24T09:15:30.000Z","activity":"Bearer hunter2hunter2","details":{"api_key":"hunter2","note":"{\"password\":\"hunter2\"}","input_tokens":7},"x-cookie":"hunter2"}"#;
    fs::write(scratch.path().join("e"), event).unwrap();
    let output = run(
        "{ evosci2lc s; cat e; } | lcjournal append j.jsonl && cat j.jsonl | lcproject --updates",
        scratch.path(),
    );
    assert_eq!(code(output.status), 0, "{}", text(&output.stderr));
    let journal = fs::read_to_string(scratch.path().join("j.jsonl")).unwrap();
    assert!(!journal.contains("hunter2"), "{journal}");
    assert!(!text(&output.stdout).contains("hunter2"));
    assert!(journal.contains("\"input_tokens\":7}"), "{journal}");
}

#[test]
fn any_chunking_of_the_input_gives_the_same_output() {
    for name in ["panel", "h_surrogate_text", "pipe_closed"] {
        let scratch = tempfile::tempdir().unwrap();
        let stream = fs::read(evosci(name)).unwrap();
        let filter = "exec evosci2lc --fixed-clock 2026-08-24T09:00:00Z";
        let whole = harness::sh(filter, scratch.path())
            .stdin(harness::stdin_of(&evosci(name)))
            .output();
        let mut child = harness::sh(filter, scratch.path())
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        for byte in stream {
            stdin.write_all(&[byte]).unwrap();
        }
        drop(stdin);
        assert_eq!(
            harness::finish(child).stdout,
            whole.unwrap().stdout,
            "{name}"
        );
    }
}

#[test]
fn a_fixed_clock_gives_the_same_bytes_and_every_line_is_valid() {
    for entry in fs::read_dir(harness::root().join("tests/fixtures/evosci")).unwrap() {
        let stream = entry.unwrap().path();
        let scratch = tempfile::tempdir().unwrap();
        let script = format!(
            "f() {{ evosci2lc --fixed-clock 2026-08-24T09:00:00Z+1ms {} 2>err; }}; f >a; f >b
             cmp a b && lcjournal append j <a >echo && lcjournal verify j >v &&
             lcjournal replay --events j | cmp - a && lcproject --strict a >p",
            stream.display()
        );
        let output = run(&script, scratch.path());
        assert_eq!(
            code(output.status),
            0,
            "{}: {}",
            stream.display(),
            text(&output.stderr)
        );
        for line in fs::read(scratch.path().join("a"))
            .unwrap()
            .split_inclusive(|b| *b == b'\n')
        {
            lctools::event::EventView::parse(&line[..line.len() - 1]).unwrap();
        }
    }
}
