//! Who is who among sub-agents, whatever ids the stream gives or leaves out.

use lctools::finding::Code;

use super::player::{detail, play};

fn start(name: &str, more: &str) -> String {
    format!("{{\"type\":\"subagent_start\",\"name\":\"{name}\"{more}}}\n")
}

fn task(id: &str, agent: &str, description: &str) -> String {
    format!(
        "{{\"type\":\"tool_call\",\"name\":\"task\",\"args\":{{\"description\":\"{description}\",\"subagent_type\":\"{agent}\"}},\"id\":\"{id}\"}}\n"
    )
}

fn result(id: &str, success: bool) -> String {
    format!(
        "{{\"type\":\"tool_result\",\"name\":\"task\",\"content\":\"says {id}\",\"success\":{success},\"id\":\"{id}\"}}\n"
    )
}

fn end(name: &str, more: &str) -> String {
    format!("{{\"type\":\"subagent_end\",\"name\":\"{name}\"{more}}}\n")
}

const DONE: &str = "{\"type\":\"done\",\"content\":\"\"}\n";

#[test]
fn without_instances_the_calls_pair_ends_that_come_in_another_order() {
    let played = play(&format!(
        "{}{}{}{}{}{}{}{}{DONE}",
        task("1", "a", "one"),
        task("2", "a", "two"),
        start("a", r#","tool_call_id":"1""#),
        start("a", r#","tool_call_id":"2""#),
        result("2", false),
        end("a", ""),
        result("1", true),
        end("a", ""),
    ));
    assert_eq!(played.states(), "completed completed failed");
    assert_eq!(
        detail(played.of("run/a.1")[0], &["agent", "description"]).unwrap(),
        "one"
    );
    assert_eq!(played.detail("run/a.2", &["cause"]).unwrap(), "says 2");
    assert_eq!(detail(played.of("run/a.1")[0], &["identity"]), None);
}

#[test]
fn a_start_without_ids_answers_the_nearest_open_task_of_its_agent() {
    let played = play(&format!(
        "{}{}{}{}{}{}{DONE}",
        task("1", "code", "write"),
        task("2", "research", "read"),
        start("code", ""),
        result("1", false),
        end("code", ""),
        start("research", r#","description":"its own""#),
    ));
    assert_eq!(played.states(), "completed failed starting");
    assert_eq!(
        detail(played.of("run/code.1")[0], &["agent", "description"]).unwrap(),
        "write"
    );
    let research = played.of("run/research.2")[0];
    assert_eq!(
        detail(research, &["agent", "description"]).unwrap(),
        "its own"
    );
}

#[test]
fn a_name_alone_is_ambiguous_and_says_so() {
    let text = r#"{"type":"subagent_text","subagent":"a","content":"x"}"#;
    let played = play(&format!(
        "{}{}{text}\n{}{}{}{DONE}",
        start("a", ""),
        start("a", ""),
        end("a", ""),
        end("a", ""),
        end("a", "")
    ));
    assert_eq!(played.states(), "completed completed completed");
    assert_eq!(
        detail(played.of("run/a.1")[0], &["identity"]).unwrap(),
        "ambiguous"
    );
    assert_eq!(played.detail("run/a.1", &["result"]).unwrap(), "none");
    assert_eq!(
        played.problems,
        [],
        "a third end of that name is late, not an orphan"
    );
    assert_eq!(played.detail("run", &["adapter", "ignored"]).unwrap(), "1");
}

#[test]
fn call_ids_repeat_within_a_batch_and_inside_sub_agents() {
    let (one, two) = (
        r#","tool_call_id":"c","instance_id":"t:1""#,
        r#","tool_call_id":"c","instance_id":"t:2""#,
    );
    let inner = r#"{"type":"subagent_tool_result","subagent":"a","name":"x","success":false,"id":"c","instance_id":"t:1"}"#;
    let played = play(&format!(
        "{}{}{}{inner}\n{}{}{}{}{DONE}",
        task("c", "a", "d"),
        start("a", one),
        start("a", two),
        result("c", true),
        result("c", false),
        end("a", r#","instance_id":"t:2""#),
        end("a", r#","instance_id":"t:1""#),
    ));
    assert_eq!(played.states(), "completed completed failed");
}

#[test]
fn an_instance_that_extends_another_is_its_child_and_answers_to_its_calls() {
    let call = r#"{"type":"subagent_tool_call","subagent":"a","name":"task","args":{"description":"deep"},"id":"c","instance_id":"t:1"}"#;
    let result = r#"{"type":"subagent_tool_result","subagent":"a","name":"task","success":false,"content":"no","id":"c","instance_id":"t:1"}"#;
    let played = play(&format!(
        "{}{call}\n{}{result}\n{}{}{DONE}",
        start("a", r#","instance_id":"t:1""#),
        start("b", r#","instance_id":"t:1:t:2","tool_call_id":"c""#),
        end("b", r#","instance_id":"t:1:t:2""#),
        end("a", r#","instance_id":"t:1""#),
    ));
    assert_eq!(played.states(), "completed completed failed");
    let inner = played.of("run/b.2")[0];
    assert_eq!(inner.lineage.parent_child_id.as_deref(), Some("run/a.1"));
    assert_eq!(inner.lineage.root_child_id, "run");
    assert_eq!(detail(inner, &["agent", "description"]).unwrap(), "deep");
}

#[test]
fn a_start_of_an_open_instance_renames_of_an_ended_one_tries_again() {
    let id = r#","instance_id":"tools:aaaaaaaa-bbbb""#;
    let played = play(&format!(
        "{}{}{}{}{}{}{DONE}",
        start("general", id),
        start("research", id),
        end("research", id),
        end("research", id),
        start("research", id),
        end("research", id),
    ));
    let first = "run/general.aaaaaaaa";
    assert_eq!(
        played.story(first),
        [
            "created",
            "starting",
            "activity started as research",
            "running",
            "completed"
        ]
    );
    let second = played.of("run/research.aaaaaaaa");
    assert_eq!(
        (
            played.of(first)[0].lineage.attempt,
            second[0].lineage.attempt
        ),
        (0, 1)
    );
    assert_eq!(
        played.detail("run", &["adapter", "ignored"]).unwrap(),
        "1",
        "the second end"
    );
}

#[test]
fn an_end_without_a_start_is_an_orphan_and_creates_nothing() {
    let panel = r#"{"type":"panel_dispatch_error","id":"p_1","error":"x"}"#;
    let played = play(&format!(
        "{}{}{panel}\n{DONE}",
        end("a", r#","instance_id":"t:9""#),
        end("b", "")
    ));
    assert_eq!(played.problems, [Code::OrphanEnd; 3]);
    assert_eq!(played.states(), "completed");
}

#[test]
fn a_sub_agent_whose_start_was_missed_is_joined_late() {
    let text = r#"{"type":"subagent_text","subagent":"a","content":"x","instance_id":"t:1"}"#;
    let played = play(&format!(
        "{text}\n{}{text}\n{DONE}",
        end("a", r#","instance_id":"t:1""#)
    ));
    assert_eq!(
        played.story("run/a.1"),
        ["running", "activity responding", "completed"]
    );
    assert_eq!(
        detail(played.of("run/a.1")[0], &["agent", "instanceId"]).unwrap(),
        "t:1"
    );
    assert_eq!(played.problems, []);
    assert_eq!(
        played.detail("run", &["adapter", "ignored"]).unwrap(),
        "1",
        "text after the end"
    );
}

#[test]
fn hostile_ids_make_valid_events() {
    for id in [
        r#""""#,
        "null",
        "7",
        "[1]",
        r#""\u0000\u001b[31m""#,
        &format!("\"{}\"", "é:".repeat(5_000)),
    ] {
        let played = play(&format!(
            "{}{}{}{{\"type\":\"panel_dispatch_start\",\"id\":{id},\"subagent_type\":{id}}}\n{{\"type\":\"interrupt\",\"interrupt_id\":{id}}}\n{DONE}",
            start(
                "x\\u0000 \\u2028\\\"",
                &format!(",\"instance_id\":{id},\"tool_call_id\":{id}")
            ),
            format_args!("{{\"type\":\"tool_call\",\"name\":{id},\"args\":{id},\"id\":{id}}}\n"),
            end("x", &format!(",\"instance_id\":{id}")),
        ));
        assert!(played.states().starts_with("waiting"), "{id}");
    }
}
