//! Whatever comes in: valid events come out, and nothing panics. The player asserts the rest.

use proptest::prelude::*;

use super::player::{identity, manner, play_bytes};
use crate::excerpt::Excerpts;
use crate::run::{Identity, Manner};

const TYPES: [&str; 27] = [
    "thinking",
    "text",
    "tool_call",
    "tool_result",
    "subagent_start",
    "subagent_text",
    "subagent_tool_call",
    "subagent_tool_result",
    "subagent_end",
    "panel_dispatch_start",
    "panel_dispatch_complete",
    "panel_dispatch_error",
    "interrupt",
    "ask_user",
    "done",
    "error",
    "model_retry",
    "model_output_discarded",
    "rubric_evaluation",
    "rubric_x",
    "goal_state",
    "summarization",
    "tool_selection",
    "usage_stats",
    "runtime_exit",
    "new",
    "",
];

const KEYS: [&str; 22] = [
    "name",
    "subagent",
    "content",
    "args",
    "id",
    "success",
    "instance_id",
    "tool_call_id",
    "description",
    "paused",
    "subagent_type",
    "error",
    "interrupt_id",
    "action_requests",
    "questions",
    "message",
    "response",
    "code",
    "signal",
    "duration_ms",
    "eval_id",
    "result",
];

fn any_value() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => prop::sample::select(vec!["\"a\"", "\"b\"", "\"t:1\"", "\"t:1:t:2\"", "\"t:3\"", "\"c\""]).prop_map(str::to_owned),
        3 => Just("true".to_owned()),
        3 => Just("false".to_owned()),
        1 => prop::sample::select(vec![
            "0", "130", "-9", "1.5", "null", "NaN", "\"\"", "\"\\u0000\"", "\"\\ud800\"",
            "{\"description\":\"d\",\"subagent_type\":\"a\"}", "[{\"name\":\"a\",\"args\":\"a\"}]",
        ]).prop_map(str::to_owned),
        1 => (0_usize..3_000).prop_map(|length| format!("\"{}\"", "\\\"é".repeat(length))),
    ]
}

fn any_line() -> impl Strategy<Value = String> {
    let members = prop::collection::vec((prop::sample::select(&KEYS[..]), any_value()), 0..8);
    (prop::sample::select(&TYPES[..]), members).prop_map(|(kind, members)| {
        let mut line = format!("{{\"type\":\"{kind}\"");
        for (key, value) in members {
            line.push_str(&format!(",\"{key}\":{value}"));
        }
        line + "}"
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_lines_make_valid_events(
        lines in prop::collection::vec(any_line(), 0..60),
        adopted in any::<bool>(),
        excerpt in prop::sample::select(vec![0_usize, 1, 160, 4_096]),
        long in any::<bool>(),
    ) {
        let id = if long { "\"é\\".repeat(128) } else { "run".to_owned() };
        let identity = Identity {
            child_id: id.clone(),
            epoch: id.clone(),
            source: id.clone(),
            parent_child_id: Some(id),
            ..identity()
        };
        let manner = Manner { adopted, excerpts: Excerpts { max: excerpt }, ..manner() };
        let lines: Vec<&[u8]> = lines.iter().map(|line| line.as_bytes()).collect();
        play_bytes(&lines, identity, manner, None);
    }

    #[test]
    fn any_bytes_make_valid_events(
        lines in prop::collection::vec(any_line(), 1..8),
        noise in prop::collection::vec(any::<u8>(), 0..20),
        at in any::<prop::sample::Index>(),
    ) {
        let mut bytes = lines.join("\n").into_bytes();
        let at = at.index(bytes.len());
        bytes.splice(at..at, noise);
        let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
        play_bytes(&lines, identity(), manner(), None);
    }
}
