//! The sub-agents of a run: who is meant by a line, how they start, work and end.

use std::borrow::Cow;

use lctools::event::{Capability, MAX_SEQUENCE, State};
use lctools::finding::{Code, Problem};
use lctools::json::Raw;

use super::find::{Found, agent_name};
use super::{Run, words};
use crate::calls::Answered;
use crate::children::{AnswersTo, Block, Child, Outcome};
use crate::details::Details;
use crate::emit::Told;
use crate::excerpt::{self, id_key, name_key};
use crate::native::Native;

/// A sub-agent that begins.
#[derive(Debug, Default)]
pub(super) struct Beginning<'a> {
    pub(super) name: String,
    pub(super) instance: Option<Cow<'a, str>>,
    pub(super) panel: bool,
    pub(super) call: Option<AnswersTo>,
    pub(super) description: Option<String>,
    /// Neither an instance nor a call tells it from others of its name.
    pub(super) ambiguous: bool,
}

impl Run {
    pub(super) fn subagent_start(&mut self, line: &Native<'_>) {
        let name = agent_name(line.name);
        let instance = id_key(line.instance_id);
        let open = instance
            .as_deref()
            .and_then(|id| self.children.of_instance(id, false));
        if let Some(number) = open {
            return self.rename(number, name, line);
        }
        let mut description = self.manner.excerpts.of(line.description);
        let call = self.answered(line, &name, &mut description);
        let ambiguous = instance.is_none() && call.is_none();
        self.begin_child(Beginning {
            name,
            instance,
            panel: false,
            call,
            description,
            ambiguous,
        });
    }

    /// The call that a start answers to, made by whoever its instance descends from; it may have
    /// a description.
    fn answered(
        &mut self,
        line: &Native<'_>,
        name: &str,
        description: &mut Option<String>,
    ) -> Option<AnswersTo> {
        let by = self.parent_of(id_key(line.instance_id).as_deref()).0;
        let calls = self.child(by).map(|maker| &mut maker.calls);
        let answered = match (id_key(line.tool_call_id), calls) {
            (Some(id), Some(calls)) => calls.answer(&id, name),
            (Some(id), None) => Answered {
                id: id.into(),
                ..Answered::default()
            },
            (None, calls) => calls?.answer_nearest(name)?,
        };
        let guessed = id_key(line.tool_call_id).is_none();
        *description = description.take().or(answered.description);
        Some(AnswersTo {
            by,
            id: answered.id,
            tool: answered.tool,
            guessed,
        })
    }

    /// Adds a child and tells `created` and `starting`.
    pub(super) fn begin_child(&mut self, beginning: Beginning<'_>) -> u64 {
        let details =
            agent(&beginning).text("identity", beginning.ambiguous.then_some("ambiguous"));
        let details = Details::new()
            .object("adapter", super::adapter::adapter())
            .members(details);
        let number = self.add_child(beginning, Capability::Known);
        self.tell(number, Told::state(State::Created).with(details));
        self.tell(number, Told::state(State::Starting));
        number
    }

    fn add_child(&mut self, beginning: Beginning<'_>, history: Capability) -> u64 {
        let Beginning {
            name,
            instance,
            panel,
            call,
            ..
        } = beginning;
        let instance = instance.as_deref();
        let past = instance.and_then(|id| self.children.ended_instance(id, panel));
        let attempt = past.map_or(self.root.attempt, |past| past.attempt + 1);
        let (_, parent) = self.parent_of(instance.filter(|_| !panel));
        let now = self.emitter.clock.now();
        let child_id = self.ids.next(&name, instance);
        self.children.add(Child {
            parent: Some(parent),
            attempt: attempt.min(MAX_SEQUENCE),
            history,
            instance: instance.map(Into::into),
            panel,
            call,
            ..Child::new(child_id, &name, now)
        })
    }

    /// A start for an open instance: it goes by another name from now on, its child id stays.
    fn rename(&mut self, number: u64, name: String, line: &Native<'_>) {
        if self
            .child(number)
            .is_some_and(|child| child.state == Some(State::Waiting))
        {
            self.subagent_runs(number);
        }
        let mut description = self.manner.excerpts.of(line.description);
        let unanswered = self.child(number).is_some_and(|child| child.call.is_none());
        let call = match unanswered && id_key(line.tool_call_id).is_some() {
            true => self.answered(line, &name, &mut description),
            false => None,
        };
        self.children.change(number, |child| {
            child.name = name.as_str().into();
            child.call = child.call.take().or(call);
        });
        let details = agent(&Beginning {
            name: name.clone(),
            instance: id_key(line.instance_id),
            description,
            ..Beginning::default()
        });
        self.tell(
            number,
            Told::activity(format!("started as {name}")).with(details),
        );
    }

    pub(super) fn subagent_text(&mut self, line: &Native<'_>) {
        if let Some(number) = self.own_event(line) {
            self.block(number, Block::Responding);
        }
    }

    pub(super) fn subagent_tool_call(&mut self, line: &Native<'_>) {
        let excerpts = self.manner.excerpts;
        if let Some(number) = self.own_event(line) {
            if let Some(child) = self.child(number) {
                child.calls.made(line, excerpts);
            }
            self.tell(number, words::tool_call(line, excerpts));
        }
    }

    pub(super) fn subagent_tool_result(&mut self, line: &Native<'_>) {
        if let Some(number) = self.own_event(line) {
            if let Some(id) = id_key(line.id) {
                if let Some(child) = self.child(number) {
                    child.calls.result(&id, name_key(line.name).as_deref());
                }
                self.outcome(number, &id, line);
            }
            self.tell(number, words::tool_result(line, self.manner.excerpts));
        }
    }

    /// A result came for a call that `scope` made: it is the outcome of the oldest open sub-agent
    /// that answers to such a call and has none yet.
    pub(super) fn outcome(&mut self, scope: u64, call: &str, line: &Native<'_>) {
        let tool = name_key(line.name);
        let Some(number) = self.children.awaiting(scope, call, tool.as_deref()) else {
            return;
        };
        let failed = line.success.and_then(Raw::as_bool) == Some(false);
        let cause = failed
            .then(|| self.manner.excerpts.of(line.content))
            .flatten();
        self.children.change(number, |child| {
            child.outcome = Some(Outcome { failed, cause })
        });
    }

    /// The sub-agent whose own event a line is, at work from now on. One whose start was not seen
    /// is joined late; of one that has ended nothing is told.
    fn own_event(&mut self, line: &Native<'_>) -> Option<u64> {
        match self.find(line, line.subagent) {
            Found::Open(number) => {
                self.subagent_runs(number);
                Some(number)
            }
            Found::Ended => {
                self.ignored += 1;
                None
            }
            Found::Unknown => self.join_late(line),
        }
    }

    fn join_late(&mut self, line: &Native<'_>) -> Option<u64> {
        let instance = id_key(line.instance_id);
        if instance.is_none() && excerpt::name(line.subagent).is_none() {
            self.ignored += 1;
            return None;
        }
        let beginning = Beginning {
            name: agent_name(line.subagent),
            ambiguous: instance.is_none(),
            instance,
            ..Beginning::default()
        };
        let ambiguous = beginning.ambiguous.then_some("ambiguous");
        let details = agent(&beginning).text("identity", ambiguous);
        let number = self.add_child(beginning, Capability::Unknown);
        self.tell(number, Told::state(State::Running).with(details));
        Some(number)
    }

    pub(super) fn subagent_runs(&mut self, number: u64) {
        if self
            .child(number)
            .is_some_and(|child| child.state != Some(State::Running))
        {
            self.tell(number, Told::state(State::Running));
        }
    }

    pub(super) fn subagent_end(&mut self, line: &Native<'_>) -> Option<Problem> {
        match self.find_ending(line) {
            Found::Open(number) => self.end_or_pause(number, line),
            Found::Ended => self.ignored += 1,
            Found::Unknown => return Some(orphan(&agent_name(line.name))),
        }
        None
    }

    fn end_or_pause(&mut self, number: u64, line: &Native<'_>) {
        let Some(child) = self.children.get(number) else {
            return;
        };
        let outcome = child.outcome.take();
        let paused = line.paused.and_then(Raw::as_bool) == Some(true);
        if paused || (outcome.is_none() && !self.questions.is_empty()) {
            self.children
                .change(number, |child| child.outcome = outcome);
            let question = self
                .questions
                .back()
                .and_then(|question| question.id.as_deref());
            let details = Details::new().text("interruptId", question);
            return self.tell(number, Told::state(State::Waiting).with(details));
        }
        match outcome {
            Some(Outcome {
                failed: true,
                cause,
            }) => {
                let details = Details::new().text("cause", cause.as_deref());
                let told = Told::state(State::Failed).with(details);
                self.tell(number, told.cause_known(cause.is_some()));
            }
            outcome => {
                self.subagent_runs(number);
                let none = outcome.is_none().then_some("none");
                let told = Told::state(State::Completed).with(Details::new().text("result", none));
                self.tell(number, told.cause_known(none.is_none()));
            }
        }
    }
}

pub(super) fn orphan(name: &str) -> Problem {
    Problem::new(
        Code::OrphanEnd,
        format!("the end of `{name}`, of which there was no start; ignored"),
    )
}

/// `details.agent`
fn agent(beginning: &Beginning<'_>) -> Details {
    let instance = beginning.instance.as_deref();
    let instance = instance.map(|id| lctools::redact::excerpt(id, 256));
    let agent = Details::new()
        .text("name", Some(&beginning.name))
        .text("description", beginning.description.as_deref())
        .text(
            "instanceId",
            instance.as_deref().filter(|id| !id.is_empty()),
        );
    Details::new().object("agent", agent)
}
