//! One line of EvoScientist's stream: read once, borrowed, not yet understood.
//!
//! Python writes the stream, so Python's habits count: `NaN` and lone surrogates are read (and
//! told), of a key that stands twice the last one holds. Types and fields that are not known here
//! are not wrong; they are counted, because a stream full of them says that this program is
//! behind its source.

use std::borrow::Cow;

use lctools::event::utf8;
use lctools::finding::{Code, Problem};
use lctools::json::{Dialect, ErrorKind, Object, Raw};

macro_rules! fields {
    ($($field:ident)* ; $($unused:literal)*) => {
        /// The members of a line by the names that are known.
        #[derive(Clone, Debug, Default)]
        pub(crate) struct Native<'a> {
            /// What `type` says.
            pub(crate) kind: Kind,
            /// How it says it.
            pub(crate) type_name: Cow<'a, str>,
            $(pub(crate) $field: Option<Raw<'a>>,)*
            /// Fields of names that are not known.
            pub(crate) unknown_fields: u64,
            /// The line was JSON to Python only.
            pub(crate) nonstandard: bool,
        }

        impl<'a> Native<'a> {
            fn put(&mut self, key: &str, value: Raw<'a>) {
                match key {
                    $(stringify!($field) => self.$field = Some(value),)*
                    $($unused)|* => {}
                    _ => self.unknown_fields += 1,
                }
            }
        }
    };
}

fields! {
    name subagent content args id success instance_id tool_call_id description paused
    subagent_type label duration_ms error interrupt_id action_requests questions message response
    attempt reason iteration result input_tokens output_tokens tools code signal eval_id ;
    "review_configs" "wait_seconds" "budget_left_seconds" "cause" "discarded"
    "explanation" "criteria" "unverified" "last_pass_response"
}

/// What a line tells, by its `type`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    Thinking,
    Text,
    ToolCall,
    ToolResult,
    SubagentStart,
    SubagentText,
    SubagentToolCall,
    SubagentToolResult,
    SubagentEnd,
    PanelStart,
    PanelComplete,
    PanelError,
    Interrupt,
    AskUser,
    Done,
    Error,
    ModelRetry,
    ModelOutputDiscarded,
    Rubric,
    RubricEvaluation,
    GoalState,
    SummarizationStart,
    Summarization,
    ToolSelection,
    UsageStats,
    RuntimeExit,
    #[default]
    Unknown,
}

impl Kind {
    fn from_type(word: &str) -> Kind {
        // A type is a word; anything else may be a text that went astray.
        let of_a_word = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_');
        match word {
            _ if !word.bytes().all(of_a_word) => Kind::Unknown,
            "thinking" => Kind::Thinking,
            "text" => Kind::Text,
            "tool_call" => Kind::ToolCall,
            "tool_result" => Kind::ToolResult,
            "subagent_start" => Kind::SubagentStart,
            "subagent_text" => Kind::SubagentText,
            "subagent_tool_call" => Kind::SubagentToolCall,
            "subagent_tool_result" => Kind::SubagentToolResult,
            "subagent_end" => Kind::SubagentEnd,
            "panel_dispatch_start" => Kind::PanelStart,
            "panel_dispatch_complete" => Kind::PanelComplete,
            "panel_dispatch_error" => Kind::PanelError,
            "interrupt" => Kind::Interrupt,
            "ask_user" => Kind::AskUser,
            "done" => Kind::Done,
            "error" => Kind::Error,
            "model_retry" => Kind::ModelRetry,
            "model_output_discarded" => Kind::ModelOutputDiscarded,
            "rubric_evaluation" => Kind::RubricEvaluation,
            "goal_state" => Kind::GoalState,
            "summarization_start" => Kind::SummarizationStart,
            "tool_selection" => Kind::ToolSelection,
            "usage_stats" => Kind::UsageStats,
            "runtime_exit" => Kind::RuntimeExit,
            _ if word.starts_with("rubric_") => Kind::Rubric,
            _ if word.starts_with("summarization") => Kind::Summarization,
            _ => Kind::Unknown,
        }
    }
}

impl<'a> Native<'a> {
    /// Reads one line.
    ///
    /// # Errors
    ///
    /// `invalid_utf8`, `malformed_json`, `too_deep`, `not_an_object`, `missing_type`.
    pub(crate) fn parse(line: &'a [u8]) -> Result<Native<'a>, Problem> {
        let text = utf8(line)?;
        let mut native = Native::default();
        let mut type_name = None;
        let mut object = Object::open(text, Dialect::Python).map_err(|error| said(error, text))?;
        while let Some(member) = object.member().map_err(|error| said(error, text))? {
            match &*member.key {
                "type" => type_name = Some(member.value),
                key => native.put(key, member.value),
            }
        }
        native.nonstandard = object.nonstandard();
        native.type_name = type_name
            .and_then(Raw::as_str)
            .ok_or_else(|| missing_type(type_name.is_some()))?;
        native.kind = Kind::from_type(&native.type_name);
        Ok(native)
    }

    /// The type in words of this program: nothing of it that only the stream knows.
    pub(crate) fn known_type(&self) -> &str {
        match self.kind {
            Kind::Unknown => "other",
            Kind::Rubric if self.type_name != "rubric_evaluation_start" => "rubric",
            Kind::Summarization => "summarization",
            _ => &self.type_name,
        }
    }
}

/// What is wrong with a line that is no JSON object, and what it most likely is.
fn said(error: lctools::json::Error, text: &str) -> Problem {
    let begins_as_json = text.trim_start().starts_with(['{', '[']);
    let mut problem = Problem::from(error);
    if error.kind == ErrorKind::Malformed && !begins_as_json {
        problem.message = Cow::Borrowed(
            "not JSON; a line of a log? keep stderr out of the stream (no `2>&1`, no `|&`)",
        );
    }
    problem
}

fn missing_type(there: bool) -> Problem {
    let message = if there {
        "`type` is not a string; not a line of EvoScientist's stream-json"
    } else {
        "an object without `type`; not a line of EvoScientist's stream-json"
    };
    Problem::new(Code::MissingType, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(line: &[u8]) -> Option<Code> {
        Native::parse(line).err().map(|problem| problem.code)
    }

    #[test]
    fn the_last_of_two_equal_keys_holds_as_in_python() {
        let line = br#"{"type":"text","content":"a","type":"done","content":"b","new":1}"#;
        let native = Native::parse(line).unwrap();
        assert_eq!(native.kind, Kind::Done);
        assert_eq!(native.content.unwrap().text(), "\"b\"");
        assert_eq!((native.unknown_fields, native.nonstandard), (1, false));
    }

    #[test]
    fn what_only_python_reads_is_read_and_told() {
        let native = Native::parse(br#"{"type":"text","content":"\ud83d","x":NaN}"#).unwrap();
        assert!(native.nonstandard);
        assert_eq!(native.content.unwrap().as_str().unwrap(), "\u{fffd}");
    }

    #[test]
    fn a_type_is_a_word() {
        for (word, kind, known) in [
            ("text", Kind::Text, "text"),
            (
                "rubric_evaluation_start",
                Kind::Rubric,
                "rubric_evaluation_start",
            ),
            ("rubric_9", Kind::Rubric, "rubric"),
            ("summarization_end", Kind::Summarization, "summarization"),
            ("brand_new", Kind::Unknown, "other"),
            ("", Kind::Unknown, "other"),
            ("rubric_the quiet word", Kind::Unknown, "other"),
            ("rubric_Quiet", Kind::Unknown, "other"),
            ("rubric_é", Kind::Unknown, "other"),
            ("summarization: quiet", Kind::Unknown, "other"),
            ("summarization\\n", Kind::Unknown, "other"),
            ("text ", Kind::Unknown, "other"),
        ] {
            let line = format!(r#"{{"type":"{word}"}}"#);
            let native = Native::parse(line.as_bytes()).unwrap();
            assert_eq!((native.kind, native.known_type()), (kind, known), "{word}");
        }
    }

    #[test]
    fn what_is_no_native_line_has_its_code() {
        assert_eq!(code(b"{\"type\":\"new_in_9_9\"}"), None);
        assert_eq!(code(b"{\"type\":7}"), Some(Code::MissingType));
        assert_eq!(code(b"{\"kind\":\"created\"}"), Some(Code::MissingType));
        assert_eq!(code(b"[1]"), Some(Code::NotAnObject));
        assert_eq!(code(b"INFO Loading agent"), Some(Code::MalformedJson));
        assert_eq!(code(b"{\"type\":\"text\","), Some(Code::MalformedJson));
        assert_eq!(code(b"{\"type\":\"\xff\"}"), Some(Code::InvalidUtf8));
        let deep = format!("{{\"type\":\"x\",\"args\":{}", "[".repeat(100_000));
        assert_eq!(code(deep.as_bytes()), Some(Code::TooDeep));
    }
}
