//! Every stream that EvoScientist itself wrote.

use std::path::PathBuf;

use lctools::finding::Code;

use super::player::{Played, identity, manner, play_bytes};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/evosci")
}

fn play_file(name: &str, after: &str) -> Played {
    let mut stream = std::fs::read(folder().join(name).with_extension("jsonl")).unwrap();
    stream.extend_from_slice(after.as_bytes());
    let lines: Vec<&[u8]> = stream.split(|byte| *byte == b'\n').collect();
    play_bytes(&lines, identity(), manner(), None)
}

const STREAMS: [(&str, &str); 30] = [
    ("parallel_038", "completed completed completed"),
    ("parallel_021", "completed completed completed"),
    ("seq_038", "completed completed completed completed"),
    ("fail_038", "completed failed"),
    ("error_038", "failed"),
    ("unreachable", "failed"),
    ("retry_exhaust", "failed"),
    ("error_mid", "failed completed"),
    ("panel", "completed completed completed failed failed"),
    ("panel_021", "completed failed"),
    ("hitl_interrupt", "waiting"),
    ("ask_interrupt", "waiting"),
    ("subhitl_interrupt", "waiting waiting completed"),
    ("kill_sigint", "running running running"),
    ("kill_sigkill", "running running running"),
    ("pipe_closed", "running running running"),
    ("reuseid", "completed completed completed"),
    ("retry", "completed completed"),
    ("thinking_anthropic", "completed completed"),
    ("rubric_unmet", "completed"),
    ("h_deep", "completed"),
    ("h_u2028", "completed"),
    ("h_unknown_tool", "completed"),
    ("h_traceback_ok", "completed"),
    ("h_nan_args", "completed"),
    ("h_surrogate_text", "completed"),
    ("tools_038", "completed"),
    ("summarize", "completed"),
    ("hitl_resume_yes", "completed"),
    ("mixed", "completed completed completed"),
];

#[test]
fn every_stream_ends_as_it_did() {
    assert_eq!(std::fs::read_dir(folder()).unwrap().count(), STREAMS.len());
    for (name, states) in STREAMS {
        let played = play_file(name, "");
        assert_eq!(played.states(), states, "{name}");
        let problems: &[Code] = match name {
            "kill_sigint" | "kill_sigkill" => &[Code::StreamEnded],
            "pipe_closed" => &[Code::MalformedJson, Code::StreamEnded],
            _ => &[],
        };
        assert_eq!(played.problems, problems, "{name}");
    }
}

#[test]
fn how_the_process_ended_settles_what_was_open() {
    for (exit, states, problem) in [
        (r#""code":130"#, "cancelled cancelled cancelled", None),
        (r#""code":143"#, "cancelled cancelled cancelled", None),
        (
            r#""signal":"SIGINT""#,
            "cancelled cancelled cancelled",
            None,
        ),
        (r#""signal":"term""#, "cancelled cancelled cancelled", None),
        (
            r#""signal":2,"code":null"#,
            "cancelled cancelled cancelled",
            None,
        ),
        (r#""code":-15"#, "cancelled cancelled cancelled", None),
        (r#""code":"143""#, "cancelled cancelled cancelled", None),
        (r#""code":137"#, "failed failed failed", None),
        (r#""code":1"#, "failed failed failed", None),
        (r#""signal":"SIGKILL""#, "failed failed failed", None),
        (r#""code":-9"#, "failed failed failed", None),
        (
            r#""code":0"#,
            "running running running",
            Some(Code::StreamEnded),
        ),
        (
            r#""code":0,"signal":null"#,
            "running running running",
            Some(Code::StreamEnded),
        ),
    ] {
        for name in ["kill_sigint", "kill_sigkill", "pipe_closed"] {
            let played = play_file(name, &format!("\n{{\"type\":\"runtime_exit\",{exit}}}\n"));
            assert_eq!(played.states(), states, "{name} {exit}");
            let problems = played
                .problems
                .iter()
                .filter(|code| **code != Code::MalformedJson);
            assert_eq!(
                problems.copied().collect::<Vec<_>>(),
                Vec::from_iter(problem),
                "{name} {exit}"
            );
        }
    }
}

#[test]
fn what_the_run_said_itself_outranks_how_its_process_ended() {
    for (name, states, after_kill) in [
        (
            "parallel_038",
            "completed completed completed",
            "completed completed completed",
        ),
        ("error_mid", "failed completed", "failed completed"),
        ("hitl_interrupt", "waiting", "waiting"),
        (
            "subhitl_interrupt",
            "waiting waiting completed",
            "waiting failed completed",
        ),
    ] {
        let exit = |code: u8| format!("{{\"type\":\"runtime_exit\",\"code\":{code}}}\n");
        let played = play_file(name, &exit(0));
        assert_eq!(
            (played.states().as_str(), &played.problems[..]),
            (states, &[][..]),
            "{name}"
        );
        let played = play_file(name, &exit(137));
        assert_eq!(
            (played.states().as_str(), &played.problems[..]),
            (after_kill, &[][..]),
            "{name}"
        );
    }
}

#[test]
fn the_streams_tell_what_people_want_to_know() {
    let played = play_file("parallel_038", "");
    let children = [
        played.of("run/research-agent.5b1c4fbf"),
        played.of("run/research-agent.2900aaf8"),
    ];
    let described =
        |n: usize| super::player::detail(children[n][0], &["agent", "description"]).unwrap();
    assert_eq!(described(0), "Survey attention baselines");
    assert_eq!(described(1), "Survey kernels");
    let played = play_file("reuseid", "");
    let second = played.of("run/research-agent.c21709be")[0];
    assert_eq!(
        super::player::detail(second, &["agent", "description"]),
        None,
        "used once"
    );
    let played = play_file("fail_038", "");
    let cause = played
        .detail("run/research-agent.1758aedc", &["cause"])
        .unwrap();
    assert_eq!(cause, "Error code: 400 - scripted failure");
    let played = play_file("panel", "");
    assert_eq!(
        played
            .detail("run/writing-agent.277344c1", &["durationMs"])
            .unwrap(),
        "456"
    );
    let played = play_file("rubric_unmet", "");
    let last = |path: &[&str]| played.detail("run", path).unwrap();
    assert_eq!(last(&["rubric", "result"]), "max_iterations_reached");
    assert_eq!(last(&["usage", "input_tokens"]), "300");
    assert_eq!(last(&["response", "excerpt"]), "Draft 1. Draft 2. Draft 3.");
    assert_eq!(last(&["adapter", "lines"]), "16");
}
