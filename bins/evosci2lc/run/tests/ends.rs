//! Questions, ends, and what is no end.

use lctools::event::{Capability, Kind, State};
use lctools::finding::Code;

use super::player::{detail, identity, manner, play, play_as};
use crate::run::{Identity, Manner};

const DONE: &str = r#"{"type":"done","content":"said","response":"said"}"#;
const ASK: &str = r#"{"type":"ask_user","interrupt_id":"q1","questions":[{"question":"Which?"}],"tool_call_id":"c"}"#;
const APPROVE: &str = r#"{"type":"interrupt","interrupt_id":"q2","action_requests":[{"name":"execute","args":{"command":"ls"}}]}"#;
const CALL: &str = r#"{"type":"tool_call","name":"execute","args":{"command":"ls"},"id":"x"}"#;
const ERROR: &str = r#"{"type":"error","message":"no"}"#;
const START: &str = r#"{"type":"subagent_start","name":"a","instance_id":"t:1"}"#;
const END: &str = r#"{"type":"subagent_end","name":"a","instance_id":"t:1"}"#;
const TEXT: &str = r#"{"type":"subagent_text","subagent":"a","content":"x","instance_id":"t:1"}"#;

#[test]
fn a_question_is_pending_until_it_is_answered() {
    for (then, state) in [
        (r#"{"type":"text","content":"x"}"#, "completed"),
        (r#"{"type":"thinking","content":"x"}"#, "completed"),
        (r#"{"type":"tool_call","name":"y","id":"y"}"#, "completed"),
        (
            r#"{"type":"tool_result","name":"ask_user","id":"c","success":true}"#,
            "completed",
        ),
        (
            r#"{"type":"tool_result","name":"task","id":"other","success":true}"#,
            "waiting",
        ),
        (TEXT, "waiting"),
        (r#"{"type":"usage_stats","input_tokens":1}"#, "waiting"),
    ] {
        let played = play(&format!("{START}\n{ASK}\n{then}\n{DONE}"));
        assert!(
            played.states().starts_with(state),
            "{then}: {}",
            played.states()
        );
        assert_eq!(played.problems, [], "{then}");
    }
    let result = r#"{"type":"tool_result","name":"execute","id":"x","success":true}"#;
    assert_eq!(
        play(&format!("{CALL}\n{APPROVE}\n{result}\n{DONE}")).states(),
        "completed"
    );
    assert_eq!(
        play(&format!("{CALL}\n{APPROVE}\n{ASK}\n{result}\n{DONE}")).states(),
        "waiting"
    );
}

#[test]
fn done_while_waiting_tells_as_much_as_done() {
    let played = play(&format!("{ASK}\n{DONE}"));
    assert_eq!(
        played.story("run"),
        [
            "created",
            "starting",
            "running",
            "waiting",
            "activity waiting for input"
        ]
    );
    let waiting = played.of("run")[3];
    assert_eq!(
        waiting.activity.as_deref(),
        Some("waiting for an answer: Which?")
    );
    assert_eq!(detail(waiting, &["interruptId"]).unwrap(), "q1");
    assert_eq!(played.detail("run", &["response", "bytes"]).unwrap(), "4");
    assert_eq!(played.detail("run", &["adapter", "lines"]).unwrap(), "2");
}

#[test]
fn a_sub_agent_that_pauses_waits_and_works_again() {
    let paused = r#"{"type":"subagent_end","name":"a","instance_id":"t:1","paused":true}"#;
    for pause in [
        format!("{START}\n{paused}"),
        format!("{START}\n{APPROVE}\n{END}"),
    ] {
        let played = play(&format!(
            "{pause}\n{TEXT}\n{{\"type\":\"text\"}}\n{END}\n{DONE}"
        ));
        assert_eq!(
            played.story("run/a.1"),
            [
                "created",
                "starting",
                "waiting",
                "running",
                "activity responding",
                "completed"
            ]
        );
    }
    let played = play(&format!("{START}\n{APPROVE}\n{END}"));
    assert_eq!(played.detail("run/a.1", &["interruptId"]).unwrap(), "q2");
}

#[test]
fn nothing_changes_a_state_after_the_end_but_an_error_after_done_is_told() {
    let late = format!("{TEXT}\n{END}\n{DONE}\n{{\"type\":\"text\"}}\n{{\"type\":\"new\"}}");
    let played = play(&format!("{START}\n{DONE}\n{late}"));
    assert_eq!(
        (played.states().as_str(), played.problems.len()),
        ("completed starting", 0)
    );
    let played = play(&format!("{DONE}\n{ERROR}"));
    assert_eq!(
        (played.states().as_str(), &played.problems[..]),
        ("completed", &[Code::AfterEnd][..])
    );
}

#[test]
fn an_error_after_an_error_or_done_after_it_is_only_counted() {
    let played = play(&format!("{ERROR}\n{DONE}\n{ERROR}"));
    assert_eq!(
        (played.states().as_str(), played.problems.len()),
        ("failed", 0)
    );
    assert_eq!(played.detail("run", &["cause"]).unwrap(), "no");
    let capabilities = played.of("run").last().unwrap().capabilities.unwrap();
    assert_eq!(capabilities.terminal_cause, Capability::Known);
}

#[test]
fn the_end_of_the_input_is_no_end_and_names_who_is_open() {
    let played = play(&format!("{START}\n{TEXT}"));
    assert_eq!(
        (played.states().as_str(), &played.problems[..]),
        ("running running", &[Code::StreamEnded][..])
    );
    let last = played.of("run").pop().unwrap();
    assert_eq!((last.kind, last.state), (Kind::Diagnostic, None));
    assert_eq!(
        detail(last, &["openChildren"]).unwrap(),
        r#"["run","run/a.1"]"#
    );
    let played = play("");
    assert_eq!(
        (played.states().as_str(), &played.problems[..]),
        ("starting", &[Code::StreamEnded][..])
    );
}

#[test]
fn an_exit_that_says_nothing_is_told() {
    for nothing in ["", r#","signal":"none""#, r#","signal":"","code":null"#] {
        let lines = format!("{{\"type\":\"text\"}}\n{{\"type\":\"runtime_exit\"{nothing}}}");
        let played = play(&lines);
        assert_eq!(played.problems, [Code::InvalidField, Code::StreamEnded]);
        assert_eq!(played.states(), "running");
    }
    let played = play(
        "{\"type\":\"runtime_exit\",\"code\":1}\n{\"type\":\"text\"}\n{\"type\":\"runtime_exit\",\"code\":0}",
    );
    assert_eq!(played.story("run"), ["created", "starting", "failed"]);
    assert_eq!(
        played.detail("run", &["cause"]).unwrap(),
        "the runtime exited with 1"
    );
}

#[test]
fn a_resumed_run_is_known_already_its_sub_agents_are_not() {
    let resumed = Manner {
        resume: true,
        ..manner()
    };
    let played = play_as(
        &format!("{START}\n{TEXT}\n{END}\n{DONE}"),
        identity(),
        resumed,
    );
    assert_eq!(played.story("run"), ["running", "completed"]);
    assert_eq!(
        played.story("run/a.1"),
        [
            "created",
            "starting",
            "running",
            "activity responding",
            "completed"
        ]
    );
    let played = play_as(ERROR, identity(), resumed);
    assert_eq!(played.story("run"), ["running", "failed"]);
}

#[test]
fn an_adopted_run_claims_no_more_than_was_seen() {
    let adopted = Manner {
        adopted: true,
        ..manner()
    };
    let played = play_as(&format!("{START}\n{DONE}"), identity(), adopted);
    assert_eq!(played.story("run"), ["created", "running", "completed"]);
    for event in &played.events {
        assert!(event.lineage.external && event.lineage.adopted_at.is_some());
    }
    let history = |child: &str| played.of(child)[0].capabilities.unwrap().history;
    assert_eq!(
        (history("run"), history("run/a.1")),
        (Capability::Unknown, Capability::Known)
    );
}

#[test]
fn lineage_is_as_the_command_line_has_it() {
    let retry = Identity {
        root_child_id: Some("first".to_owned()),
        parent_child_id: Some("boss".to_owned()),
        attempt: 2,
        ..identity()
    };
    let played = play_as(&format!("{START}\n{DONE}"), retry, manner());
    let (run, child) = (
        &played.of("run")[0].lineage,
        &played.of("run/a.1")[0].lineage,
    );
    assert_eq!(
        (
            &*run.root_child_id,
            run.attempt,
            run.parent_child_id.as_deref()
        ),
        ("first", 2, Some("boss"))
    );
    assert_eq!(
        (
            &*child.root_child_id,
            child.attempt,
            child.parent_child_id.as_deref()
        ),
        ("first", 2, Some("run"))
    );
    assert_eq!(played.of("run")[0].state, Some(State::Created));
}
