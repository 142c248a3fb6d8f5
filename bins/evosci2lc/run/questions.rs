//! What the run waits for: approvals and answers.
//!
//! A question names no sub-agent, so the run is what waits. It is pending until the main agent
//! goes on, or until the result of the very call it is about comes.

use lctools::event::State;
use lctools::json::Raw;

use super::{Run, words};
use crate::calls::agree;
use crate::children::RUN;
use crate::details::Details;
use crate::emit::Told;
use crate::excerpt::{self, id_key};
use crate::identity::key;
use crate::native::Native;

/// How many open questions are kept; of more, the oldest are forgotten.
const QUESTIONS: usize = 16;

/// The tool by which the main agent asks.
const ASK: &str = "ask_user";

/// Something the run waits for.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) id: Option<String>,
    /// The calls whose result answers it: their ids, and what was called, where that is known.
    calls: Vec<(Box<str>, Option<Box<str>>)>,
}

impl Run {
    /// The run asks for an approval or an answer, and waits.
    pub(super) fn question(&mut self, line: &Native<'_>) {
        let requests = line
            .action_requests
            .into_iter()
            .flat_map(Raw::elements)
            .take(QUESTIONS);
        let mut calls: Vec<_> = requests
            .filter_map(|request| {
                let name = request.get("name").and_then(Raw::as_str)?;
                let id = self.root.calls.like(&name, request.get("args"))?;
                Some((id, Some(key(name).into())))
            })
            .collect();
        calls.extend(id_key(line.tool_call_id).map(|id| {
            let tool = self.root.calls.tool_of(&id, ASK);
            (id.into(), tool)
        }));
        let id = excerpt::id(line.interrupt_id);
        let details = Details::new().text("interruptId", id.as_deref());
        if self.questions.len() == QUESTIONS {
            self.questions.pop_front();
        }
        self.questions.push_back(Question { id, calls });
        let what = words::question(line, self.manner.excerpts);
        self.tell(RUN, Told::state(State::Waiting).doing(what).with(details));
    }

    /// A call has its result: the questions about it are answered.
    pub(super) fn answered_by(&mut self, call: &str, tool: Option<&str>) {
        let its =
            |(id, of): &(Box<str>, Option<Box<str>>)| **id == *call && agree(of.as_deref(), tool);
        let about = |question: &Question| question.calls.iter().any(its);
        if self.questions.iter().any(about) {
            self.questions.retain(|question| !about(question));
            if self.questions.is_empty() {
                self.root_runs();
            }
        }
    }

    /// The main agent goes on: nothing is waited for any more.
    pub(super) fn all_answered(&mut self) {
        if !self.questions.is_empty() {
            self.questions.clear();
            self.root_runs();
        }
    }
}
