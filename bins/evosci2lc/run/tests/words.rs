//! What people read, and what they must not.

use std::time::Duration;

use lctools::event::Kind;
use lctools::time::UtcTime;

use super::player::{START, detail, identity, manner, play, play_as, play_bytes};
use crate::cli::FixedClock;
use crate::excerpt::Excerpts;
use crate::run::Manner;

/// The activities of the run.
fn said(lines: &str) -> Vec<String> {
    let played = play(lines);
    let activities = played
        .of("run")
        .into_iter()
        .filter(|event| event.kind == Kind::Activity);
    activities
        .map(|event| event.activity.as_deref().unwrap().to_owned())
        .collect()
}

#[test]
fn lines_have_short_stable_texts() {
    for (line, text) in [
        (r#"{"type":"thinking","content":"x"}"#, "thinking"),
        (r#"{"type":"text","content":"x"}"#, "responding"),
        (
            r#"{"type":"tool_call","name":"execute","args":{"command":"ls -l"}}"#,
            "execute ls -l",
        ),
        (
            r#"{"type":"tool_call","name":"write","args":{"path":"/a","n":1}}"#,
            "write path=/a n=1",
        ),
        (r#"{"type":"tool_call","name":"now","args":{}}"#, "now"),
        (r#"{"type":"tool_call"}"#, "tool"),
        (
            r#"{"type":"tool_result","name":"execute","success":true,"content":"x"}"#,
            "execute ok",
        ),
        (
            r#"{"type":"tool_result","name":"x","success":false,"content":"a\nb"}"#,
            "x failed: a b",
        ),
        (
            r#"{"type":"tool_result","name":"x","content":"x"}"#,
            "x returned",
        ),
        (
            r#"{"type":"model_retry","attempt":2,"reason":"Connection error.","instance_id":"","subagent":""}"#,
            "model retry 2: Connection error.",
        ),
        (
            r#"{"type":"model_output_discarded"}"#,
            "model output discarded",
        ),
        (
            r#"{"type":"rubric_evaluation_start","iteration":0}"#,
            "rubric evaluation start",
        ),
        (
            r#"{"type":"rubric_evaluation","result":"needs_revision"}"#,
            "rubric needs_revision",
        ),
        (r#"{"type":"goal_state","goal":"x"}"#, "goal state"),
        (
            r#"{"type":"summarization_start"}"#,
            "summarizing the context",
        ),
        (
            r#"{"type":"summarization","content":"x"}"#,
            "context summarized",
        ),
        (
            r#"{"type":"tool_selection","tools":["a","b"]}"#,
            "tools selected: a, b",
        ),
    ] {
        assert_eq!(said(line), [text], "{line}");
    }
    assert_eq!(said(r#"{"type":"usage_stats","input_tokens":3}"#), [""; 0]);
    assert_eq!(said(r#"{"type":"brand_new"}"#), [""; 0]);
}

#[test]
fn a_block_is_told_once_and_ends_with_any_other_event_of_its_child() {
    let (text, thought) = (r#"{"type":"text"}"#, r#"{"type":"thinking"}"#);
    let usage = r#"{"type":"usage_stats","input_tokens":1}"#;
    let sub = r#"{"type":"subagent_text","subagent":"a","instance_id":"t:1"}"#;
    let tool = r#"{"type":"tool_call","name":"x"}"#;
    let lines = [
        text, usage, text, sub, text, thought, thought, tool, text, text,
    ]
    .join("\n");
    assert_eq!(said(&lines), ["responding", "thinking", "x", "responding"]);
}

#[test]
fn a_long_block_beats_at_most_as_often_as_it_may() {
    let chunks = vec![r#"{"type":"text"}"#; 21].join("\n");
    let beats = |played: super::player::Played| {
        played
            .events
            .iter()
            .filter(|event| event.kind == Kind::Heartbeat)
            .count()
    };
    assert_eq!(
        beats(play(&chunks)),
        4,
        "a second apart, one in five seconds"
    );
    let lines: Vec<&[u8]> = chunks.split('\n').map(str::as_bytes).collect();
    let start = UtcTime::parse(START).unwrap();
    let fixed = |seconds| FixedClock {
        start,
        step: Duration::from_secs(seconds),
    };
    assert_eq!(
        beats(play_bytes(&lines, identity(), manner(), Some(fixed(0)))),
        0
    );
    assert_eq!(
        beats(play_bytes(&lines, identity(), manner(), Some(fixed(5)))),
        20
    );
}

#[test]
fn secrets_never_reach_an_event() {
    let lines = concat!(
        r#"{"type":"tool_call","name":"http","args":{"headers":{"Authorization":"Bearer hunter2hunter2"}},"id":"1"}"#,
        "\n",
        r#"{"type":"tool_call","name":"execute","args":{"command":"curl -H 'Authorization: Bearer hunter2hunter2' https://u:hunter2@h/","cwd":"/"},"id":"2"}"#,
        "\n",
        r#"{"type":"tool_call","name":"post","args":{"body":"{\"api_key\":\"hunter2\",\"input_tokens\":7}"},"id":"3"}"#,
        "\n",
        r#"{"type":"tool_call","name":"task","args":{"description":"use password=hunter2","api_key":"hunter2"},"id":"4"}"#,
        "\n",
        r#"{"type":"subagent_start","name":"a","instance_id":"t:1","tool_call_id":"4"}"#,
        "\n",
        r#"{"type":"tool_result","name":"post","content":"Error: password=hunter2","success":false,"id":"4"}"#,
        "\n",
        r#"{"type":"subagent_end","name":"a","instance_id":"t:1"}"#,
        "\n",
        r#"{"type":"ask_user","questions":[{"question":"is token=hunter2 right?"}]}"#,
        "\n",
        r#"{"type":"usage_stats","input_tokens":100,"output_tokens":20}"#,
        "\n",
        r#"{"type":"done","response":"the key is sk-hunter2hunter2hunter2hunter2"}"#,
        "\n",
        r#"{"type":"error","message":"password: hunter2"}"#,
        "\n",
    );
    let played = play(lines);
    assert!(!played.text.contains("hunter2"), "{}", played.text);
    assert!(played.text.contains("[REDACTED]"));
    assert!(played.text.contains("\"input_tokens\":100"));
}

#[test]
fn no_excerpt_means_no_text_of_the_stream() {
    let lines = concat!(
        r#"{"type":"tool_call","name":"task","args":{"description":"quiet"},"id":"1"}"#,
        "\n",
        r#"{"type":"subagent_start","name":"a","instance_id":"t:1","tool_call_id":"1","description":"quiet"}"#,
        "\n",
        r#"{"type":"tool_result","name":"task","content":"quiet","success":false,"id":"1"}"#,
        "\n",
        r#"{"type":"subagent_end","name":"a","instance_id":"t:1"}"#,
        "\n",
        r#"{"type":"model_retry","attempt":1,"reason":"quiet"}"#,
        "\n",
        r#"{"type":"model_output_discarded","reason":"quiet"}"#,
        "\n",
        r#"{"type":"rubric_evaluation_start","iteration":0}"#,
        "\n",
        r#"{"type":"rubric_evaluation","result":"quiet","explanation":"quiet","iteration":0}"#,
        "\n",
        r#"{"type":"rubric_quiet","content":"quiet"}"#,
        "\n",
        r#"{"type":"rubric_be quiet: now","content":"quiet"}"#,
        "\n",
        r#"{"type":"summarization_quiet","content":"quiet"}"#,
        "\n",
        r#"{"type":"goal_state","goal":"quiet"}"#,
        "\n",
        r#"{"type":"ask_user","questions":[{"question":"quiet?"}]}"#,
        "\n",
        r#"{"type":"panel_dispatch_start","id":"p_2","subagent_type":"b","label":"quiet","description":"quiet"}"#,
        "\n",
        r#"{"type":"panel_dispatch_error","id":"p_2","error":"quiet"}"#,
        "\n",
        r#"{"type":"quiet","quiet":"quiet"}"#,
        "\n",
        "\n",
    );
    let none = Manner {
        excerpts: Excerpts { max: 0 },
        ..manner()
    };
    let ends = [
        (r#"{"type":"error","message":"quiet"}"#, "failed"),
        (r#"{"type":"done","response":"quiet"}"#, "waiting"),
    ];
    for (end, state) in ends {
        let played = play_as(&format!("{lines}{end}"), identity(), none);
        assert!(!played.text.contains("quiet"), "{}", played.text);
        assert_eq!(played.states(), format!("{state} failed failed"));
    }
    let played = play_as(&format!("{lines}{}", ends[0].0), identity(), none);
    assert_eq!(played.detail("run", &["cause"]).unwrap(), "error");
    let story = played.story("run").join("\n");
    let rubric = "rubric evaluation start\nactivity rubric evaluated\nactivity rubric\n";
    assert!(story.contains(rubric), "{story}");
}

#[test]
fn the_adapter_tells_of_itself_and_of_what_it_did_not_know() {
    let played =
        play("{\"type\":\"brand_new\",\"x\":1}\n{\"type\":\"text\",\"y\":1}\n{\"type\":\"done\"}");
    let created = played.of("run")[0];
    assert_eq!(detail(created, &["adapter", "name"]).unwrap(), "evosci2lc");
    assert!(
        detail(created, &["adapter", "limits"])
            .unwrap()
            .starts_with('[')
    );
    assert_eq!(detail(created, &["agent", "name"]).unwrap(), "EvoScientist");
    let health = played.detail("run", &["adapter"]).unwrap();
    assert_eq!(health, r#"{"lines":3,"findings":0,"ignored":2}"#);
}

#[test]
fn eleven_megabytes_of_result_are_read_at_once() {
    let long = "\\u2603 x\\n".repeat(11 << 17);
    let lines = format!(
        "{{\"type\":\"tool_result\",\"name\":\"cat\",\"content\":\"{long}\",\"success\":false,\"id\":\"1\"}}\n{{\"type\":\"done\"}}"
    );
    let start = std::time::Instant::now();
    assert_eq!(play(&lines).states(), "completed");
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
}
