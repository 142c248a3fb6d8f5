//! The short texts in which people read what an agent is at. Stable: scripts may match on them.

use lctools::json::Raw;

use crate::children::Block;
use crate::details::Details;
use crate::emit::Told;
use crate::excerpt::{self, Excerpts};
use crate::native::{Kind, Native};

/// How many tools of a selection are named.
const TOOLS: usize = 16;

pub(super) fn block(block: Block) -> &'static str {
    match block {
        Block::Thinking => "thinking",
        Block::Responding => "responding",
    }
}

/// `NAME arguments`
pub(super) fn tool_call(line: &Native<'_>, excerpts: Excerpts) -> Told {
    let name = tool_name(line);
    let text = match excerpts.arguments(line.args) {
        Some(arguments) => format!("{name} {arguments}"),
        None => name.clone(),
    };
    let tool = tool(line, &name);
    Told::activity(text).with(Details::new().object("tool", tool))
}

/// `NAME ok`, `NAME failed: content`; `NAME returned` when the line does not say which.
pub(super) fn tool_result(line: &Native<'_>, excerpts: Excerpts) -> Told {
    let name = tool_name(line);
    let success = line.success.and_then(Raw::as_bool);
    let text = match success {
        Some(true) => format!("{name} ok"),
        Some(false) => colon(format!("{name} failed"), excerpts.of(line.content)),
        None => format!("{name} returned"),
    };
    let tool = tool(line, &name).flag("success", success);
    Told::activity(text).with(Details::new().object("tool", tool))
}

fn tool_name(line: &Native<'_>) -> String {
    excerpt::name(line.name).unwrap_or_else(|| "tool".to_owned())
}

fn tool(line: &Native<'_>, name: &str) -> Details {
    Details::new()
        .text("name", Some(name))
        .text("id", excerpt::id(line.id).as_deref())
}

/// What the run waits for.
pub(super) fn question(line: &Native<'_>, excerpts: Excerpts) -> String {
    if line.kind == Kind::AskUser {
        let first = line
            .questions
            .and_then(|questions| questions.elements().next());
        let text = first.and_then(|question| question.get("question"));
        return colon("waiting for an answer".to_owned(), excerpts.of(text));
    }
    let first = line
        .action_requests
        .and_then(|requests| requests.elements().next());
    let tool = first.and_then(|request| excerpt::name(request.get("name")));
    colon("waiting for approval".to_owned(), tool)
}

/// A line that tells of neither text nor tools.
pub(super) fn remark(line: &Native<'_>, excerpts: Excerpts) -> String {
    match line.kind {
        Kind::ModelRetry => {
            let attempt = line.attempt.and_then(Raw::as_u53);
            let text = attempt.map_or_else(
                || "model retry".to_owned(),
                |attempt| format!("model retry {attempt}"),
            );
            colon(text, excerpts.of(line.reason))
        }
        Kind::ModelOutputDiscarded => colon(
            "model output discarded".to_owned(),
            excerpts.of(line.reason),
        ),
        Kind::RubricEvaluation => match rubric_result(line, excerpts) {
            Some(result) => format!("rubric {result}"),
            None => "rubric evaluated".to_owned(),
        },
        Kind::SummarizationStart => "summarizing the context".to_owned(),
        Kind::Summarization => "context summarized".to_owned(),
        Kind::GoalState => "goal state".to_owned(),
        Kind::ToolSelection => tool_selection(line),
        _ if excerpts.max == 0 => line.known_type().replace('_', " "),
        _ => {
            let name = lctools::redact::excerpt(&line.type_name, 64);
            name.replace('_', " ")
        }
    }
}

/// What an evaluation came to: a word as a rule, but free text to whoever reads it.
pub(super) fn rubric_result(line: &Native<'_>, excerpts: Excerpts) -> Option<String> {
    excerpt::name(line.result).filter(|_| excerpts.max > 0)
}

fn tool_selection(line: &Native<'_>) -> String {
    let tools = line.tools.into_iter().flat_map(Raw::elements).take(TOOLS);
    let names: Vec<_> = tools.filter_map(|tool| excerpt::name(Some(tool))).collect();
    colon("tools selected".to_owned(), Some(names.join(", ")))
}

/// `what: more`, or only what.
pub(super) fn colon(what: String, more: Option<String>) -> String {
    match more.filter(|more| !more.is_empty()) {
        Some(more) => format!("{what}: {more}"),
        None => what,
    }
}
