//! Which call a sub-agent answers to, and which result is its own.

use lctools::finding::Code;

use super::player::{detail, play};

const DONE: &str = r#"{"type":"done"}"#;

#[test]
fn a_call_of_the_run_is_none_of_a_descendant_of_an_ended_sub_agent() {
    let lines = |own_call: &str| {
        [
            r#"{"type":"tool_call","name":"write_file","args":{"description":"not his"},"id":"c1"}"#,
            r#"{"type":"tool_call","name":"task","args":{"description":"not his"},"id":"c2"}"#,
            r#"{"type":"subagent_start","name":"r","instance_id":"t:1","tool_call_id":"zz"}"#,
            r#"{"type":"subagent_end","name":"r","instance_id":"t:1"}"#,
            &format!(
                r#"{{"type":"subagent_start","name":"n","instance_id":"t:1:t:3"{own_call}}}"#
            ),
            r#"{"type":"tool_result","name":"write_file","id":"c1","success":false}"#,
            r#"{"type":"tool_result","name":"task","id":"c2","success":false}"#,
            r#"{"type":"subagent_end","name":"n","instance_id":"t:1:t:3"}"#,
            DONE,
        ]
        .join("\n")
    };
    for own_call in ["", r#","tool_call_id":"c1""#, r#","tool_call_id":"c2""#] {
        let played = play(&lines(own_call));
        assert_eq!(
            played.states(),
            "completed completed completed",
            "{own_call}"
        );
        let created = played.of("run/n.3")[0];
        assert_eq!(created.lineage.parent_child_id.as_deref(), Some("run/r.1"));
        assert_eq!(detail(created, &["agent", "description"]), None);
        assert_eq!(played.detail("run/n.3", &["result"]).unwrap(), "none");
    }
}

#[test]
fn a_result_of_another_tool_is_not_that_of_a_sub_agent() {
    let write = r#"{"type":"tool_call","name":"write_file","args":{},"id":"c1"}"#;
    let task = r#"{"type":"tool_call","name":"task","args":{"description":"d"},"id":"c1"}"#;
    let start = r#"{"type":"subagent_start","name":"a","instance_id":"t:1","tool_call_id":"c1"}"#;
    let nameless = r#"{"type":"subagent_start","name":"a","instance_id":"t:1"}"#;
    let end = r#"{"type":"subagent_end","name":"a","instance_id":"t:1"}"#;
    let result = |tool: &str, success: bool| {
        format!(
            r#"{{"type":"tool_result",{tool}"id":"c1","success":{success},"content":"says so"}}"#
        )
    };
    let (of_write, of_task) = (r#""name":"write_file","#, r#""name":"task","#);
    for calls in [[write, task], [task, write]] {
        for start in [start, nameless] {
            let story = |results: [(&str, bool); 2]| {
                let [one, two] = results.map(|(tool, success)| result(tool, success));
                let lines = [calls[0], calls[1], start, &one, &two, end, DONE];
                play(&lines.join("\n")).states()
            };
            let failed = "completed failed";
            assert_eq!(
                story([(of_write, false), (of_task, true)]),
                "completed completed"
            );
            assert_eq!(
                story([(of_task, true), (of_write, false)]),
                "completed completed"
            );
            assert_eq!(story([(of_write, true), (of_task, false)]), failed);
            assert_eq!(story([(of_task, false), (of_write, true)]), failed);
            assert_eq!(
                story([("", false), (of_write, true)]),
                failed,
                "no name: any"
            );
        }
    }
    let lines = [
        write,
        task,
        &result(of_write, false),
        start,
        &result(of_task, true),
        end,
        DONE,
    ];
    let played = play(&lines.join("\n"));
    assert_eq!(played.states(), "completed completed");
    let description = detail(played.of("run/a.1")[0], &["agent", "description"]);
    assert_eq!(description.unwrap(), "d");
}

#[test]
fn every_sub_agent_of_one_call_answers_to_the_tool_that_starts_them() {
    let call =
        |tool: &str| format!(r#"{{"type":"tool_call","name":"{tool}","args":{{}},"id":"c"}}"#);
    let result = |tool: &str, success: bool| {
        format!(r#"{{"type":"tool_result","name":"{tool}","id":"c","success":{success}}}"#)
    };
    let line = |kind: &str, of: &str| {
        format!(
            r#"{{"type":"subagent_{kind}","name":"a","instance_id":"t:{of}","tool_call_id":"c"}}"#
        )
    };
    let lines = [
        call("code_interpreter"),
        call("write_file"),
        line("start", "1"),
        line("start", "2"),
        result("write_file", false),
        result("code_interpreter", true),
        line("end", "1"),
        line("end", "2"),
        DONE.to_owned(),
    ];
    let played = play(&lines.join("\n"));
    assert_eq!(played.states(), "completed completed completed");
}

#[test]
fn a_question_is_not_answered_by_the_result_of_another_tool() {
    let lines = |tool: &str| {
        [
            r#"{"type":"tool_call","name":"write_file","args":{},"id":"c"}"#,
            r#"{"type":"tool_call","name":"ask_user","args":{},"id":"c"}"#,
            r#"{"type":"ask_user","interrupt_id":"q","questions":[],"tool_call_id":"c"}"#,
            &format!(r#"{{"type":"tool_result","name":"{tool}","id":"c","success":true}}"#),
            DONE,
        ]
        .join("\n")
    };
    assert_eq!(play(&lines("write_file")).states(), "waiting");
    assert_eq!(play(&lines("ask_user")).states(), "completed");
}

fn start(name: &str, more: &str) -> String {
    format!(r#"{{"type":"subagent_start","name":"{name}"{more}}}"#)
}

fn end(name: &str, more: &str) -> String {
    format!(r#"{{"type":"subagent_end","name":"{name}"{more}}}"#)
}

#[test]
fn an_end_is_known_by_its_call_whatever_its_name() {
    let (one, two) = (r#","tool_call_id":"1""#, r#","tool_call_id":"2""#);
    let instance = r#","tool_call_id":"1","instance_id":"t:9""#;
    for (lines, states, orphans, ignored) in [
        (vec![start("a", one), end("b", one)], "completed", 0, 0),
        (vec![start("a", one), end("b", instance)], "completed", 0, 0),
        (vec![start("a", instance), end("b", one)], "completed", 0, 0),
        (vec![start("a", one), end("", one)], "completed", 0, 0),
        // The second end of one is not the end of another.
        (
            vec![
                start("a", one),
                start("a", two),
                end("a", one),
                end("a", one),
            ],
            "completed starting",
            0,
            1,
        ),
        (
            vec![
                start("a", one),
                start("a", two),
                end("b", two),
                end("b", two),
            ],
            "starting completed",
            0,
            1,
        ),
        // Known by another call, it is another one.
        (vec![start("a", one), end("a", two)], "starting", 1, 0),
        (vec![start("a", ""), end("a", two)], "completed", 0, 0),
        // Of several of one call, the name decides.
        (
            vec![start("a", one), start("b", one), end("b", one)],
            "starting completed",
            0,
            0,
        ),
    ] {
        let played = play(&format!("{}\n{DONE}", lines.join("\n")));
        assert_eq!(played.states(), format!("completed {states}"), "{lines:?}");
        assert_eq!(played.problems, vec![Code::OrphanEnd; orphans], "{lines:?}");
        let counted = played.detail("run", &["adapter", "ignored"]).unwrap();
        assert_eq!(counted, ignored.to_string(), "{lines:?}");
    }
}

#[test]
fn a_call_that_was_only_guessed_does_not_hide_an_end() {
    let task = |id: &str| {
        format!(
            r#"{{"type":"tool_call","name":"task","args":{{"subagent_type":"a"}},"id":"{id}"}}"#
        )
    };
    let lines = [
        task("1"),
        task("2"),
        start("a", ""),
        end("a", r#","tool_call_id":"1""#),
        DONE.to_owned(),
    ];
    assert_eq!(play(&lines.join("\n")).states(), "completed completed");
}

#[test]
fn a_task_of_a_panel_without_id_ends_by_name_and_evaluation() {
    let line = |kind: &str, more: &str| format!(r#"{{"type":"panel_dispatch_{kind}"{more}}}"#);
    let (a1, a2) = (
        r#","subagent_type":"a","eval_id":"e1""#,
        r#","subagent_type":"a","eval_id":"e2""#,
    );
    let (of_a, of_b) = (r#","subagent_type":"a""#, r#","subagent_type":"b""#);
    let e1 = r#","eval_id":"e1""#;
    let with_id = r#","id":"p_1","eval_id":"e1""#;
    let begin = |more| line("start", more);
    let complete = |more| line("complete", more);
    for (lines, states, orphans) in [
        (vec![begin(a1), complete(a1)], "completed", 0),
        (vec![begin(a1), line("error", of_a)], "failed", 0),
        (vec![begin(a1), complete(e1)], "completed", 0),
        (vec![begin(a1), complete(with_id)], "completed", 0),
        (
            vec![begin(a1), begin(a2), complete(a2)],
            "running completed",
            0,
        ),
        (
            vec![begin(a1), begin(a1), complete(a1)],
            "completed running",
            0,
        ),
        (
            vec![begin(a1), complete(a1), complete(a1), complete(e1)],
            "completed",
            0,
        ),
        (vec![begin(a1), complete(a2)], "running", 1),
        (vec![begin(a1), complete(of_b)], "running", 1),
        (vec![begin(of_a), complete(a2)], "completed", 0),
        // A start with an id is not ended by its evaluation alone, which has many.
        (vec![begin(with_id), complete(e1)], "running", 1),
        (vec![begin(with_id), complete("")], "running", 1),
        // Neither is a sub-agent of that name.
        (vec![start("a", ""), complete(of_a)], "starting", 1),
        (vec![begin(a1), end("a", "")], "running", 1),
    ] {
        let played = play(&format!("{}\n{DONE}", lines.join("\n")));
        assert_eq!(played.states(), format!("completed {states}"), "{lines:?}");
        assert_eq!(played.problems, vec![Code::OrphanEnd; orphans], "{lines:?}");
    }
    let eval = r#"{"type":"tool_call","name":"code_interpreter","id":"e1"}"#;
    let result = r#"{"type":"tool_result","name":"code_interpreter","id":"e1","success":false}"#;
    let lines = [eval, &begin(a1), result, &complete(a1), DONE];
    assert_eq!(play(&lines.join("\n")).states(), "completed completed");
}
