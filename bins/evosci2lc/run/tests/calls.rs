//! Which call a sub-agent answers to, and which result is its own.

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
