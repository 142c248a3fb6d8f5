//! One run of EvoScientist as a state machine: native lines and times in, events out.
//!
//! Nothing here reads, waits or looks at a clock: the same lines and times give the same events,
//! byte for byte. What the run itself does is here; its sub-agents are in [`subagents`] and
//! [`panel`], its ends in [`ending`]. The rules are SPEC section 4.
//!
//! Memory is that of the open children ([`crate::children`]), their last calls
//! ([`crate::calls`]) and a few open questions.

mod adapter;
mod ending;
mod exit;
mod find;
mod panel;
mod questions;
mod subagents;
mod words;

use std::collections::VecDeque;
use std::mem::swap;
use std::time::Duration;

use lctools::event::{Capability, State};
use lctools::finding::Problem;
use lctools::json::Raw;
use lctools::time::UtcTime;

use crate::children::{Block, Child, Children, RUN};
use crate::clock::Clock;
use crate::details::Details;
use crate::emit::{Emitter, Told};
use crate::excerpt::{Excerpts, id_key, name_key};
use crate::identity::ChildIds;
use crate::native::{Kind, Native};
pub(crate) use adapter::Health;
use adapter::introduction;
pub(crate) use ending::End;
use questions::Question;

/// Who a run is.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    pub(crate) source: String,
    pub(crate) epoch: String,
    pub(crate) child_id: String,
    pub(crate) root_child_id: Option<String>,
    pub(crate) parent_child_id: Option<String>,
    pub(crate) attempt: u64,
}

/// How a run is told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    pub(crate) excerpts: Excerpts,
    pub(crate) heartbeat_every: Duration,
    /// The next turn of a run that is known already.
    pub(crate) resume: bool,
    /// Somebody else's run, joined late.
    pub(crate) adopted: bool,
}

/// The state machine.
#[derive(Debug)]
pub(crate) struct Run {
    manner: Manner,
    emitter: Emitter,
    root: Child,
    children: Children,
    ids: ChildIds,
    questions: VecDeque<Question>,
    end: Option<End>,
    input_tokens: u64,
    output_tokens: u64,
    rubric: Option<(String, Option<u64>)>,
    ignored: u64,
    health: Health,
}

impl Run {
    /// The stream is opened.
    pub(crate) fn open(identity: Identity, manner: Manner, clock: Clock, out: &mut Vec<u8>) -> Run {
        let resumed_in = manner.resume.then_some(&*identity.epoch);
        let ids = ChildIds::new(&identity.child_id, resumed_in);
        let root = Child {
            parent: identity.parent_child_id.map(Into::into),
            attempt: identity.attempt,
            history: match manner.adopted {
                true => Capability::Unknown,
                false => Capability::Known,
            },
            ..Child::new(identity.child_id.as_str(), "EvoScientist", clock.now())
        };
        let root_child_id = identity.root_child_id.unwrap_or(identity.child_id);
        let emitter = Emitter::new(
            identity.source,
            identity.epoch,
            root_child_id,
            manner.adopted,
            clock,
        );
        let mut run = Run {
            manner,
            emitter,
            root,
            children: Children::default(),
            ids,
            questions: VecDeque::new(),
            end: None,
            input_tokens: 0,
            output_tokens: 0,
            rubric: None,
            ignored: 0,
            health: Health::default(),
        };
        run.writing_to(out, Run::begin);
        run
    }

    fn begin(&mut self) {
        if self.manner.resume {
            return;
        }
        self.tell(RUN, Told::state(State::Created).with(introduction()));
        if !self.manner.adopted {
            self.tell(RUN, Told::state(State::Starting));
        }
    }

    /// One line of the stream. What is wrong with it, if anything, is returned; never is a line
    /// refused.
    pub(crate) fn line(
        &mut self,
        line: &Native<'_>,
        receipt: UtcTime,
        health: Health,
        out: &mut Vec<u8>,
    ) -> Option<Problem> {
        self.emitter.clock.receive(receipt);
        self.health = health;
        self.writing_to(out, |run| run.take(line))
    }

    /// How the run has ended, if it has.
    pub(crate) fn end(&self) -> Option<End> {
        self.end
    }

    /// How many children, the run among them, are in which state.
    pub(crate) fn states(&self) -> std::collections::BTreeMap<State, u64> {
        let mut states = self.children.states();
        if let Some(state) = self.root.state {
            *states.entry(state).or_default() += 1;
        }
        states
    }

    fn writing_to<T>(&mut self, out: &mut Vec<u8>, work: impl FnOnce(&mut Run) -> T) -> T {
        swap(&mut self.emitter.out, out);
        let done = work(self);
        swap(&mut self.emitter.out, out);
        done
    }

    fn take(&mut self, line: &Native<'_>) -> Option<Problem> {
        if line.kind == Kind::RuntimeExit {
            return self.runtime_exit(line);
        }
        if let Some(end) = self.end {
            return self.after_end(end, line);
        }
        if matches!(
            self.root.state,
            None | Some(State::Created | State::Starting)
        ) {
            self.root_runs();
        }
        if line.kind == Kind::Unknown {
            self.ignored += 1;
            return None;
        }
        self.ignored += line.unknown_fields;
        match line.kind {
            Kind::SubagentStart => self.subagent_start(line),
            Kind::SubagentText => self.subagent_text(line),
            Kind::SubagentToolCall => self.subagent_tool_call(line),
            Kind::SubagentToolResult => self.subagent_tool_result(line),
            Kind::SubagentEnd => return self.subagent_end(line),
            Kind::PanelStart => self.panel_start(line),
            Kind::PanelComplete | Kind::PanelError => return self.panel_end(line),
            Kind::Done => self.done(line),
            Kind::Error => self.error(line),
            Kind::UsageStats => self.usage(line),
            _ => self.own_line(line),
        }
        None
    }

    /// A line about the main agent, or about nobody by name.
    fn own_line(&mut self, line: &Native<'_>) {
        match line.kind {
            Kind::Thinking => self.main_agent_speaks(Block::Thinking),
            Kind::Text => self.main_agent_speaks(Block::Responding),
            Kind::ToolCall => {
                self.all_answered();
                self.root.calls.made(line, self.manner.excerpts);
                self.tell(RUN, words::tool_call(line, self.manner.excerpts));
            }
            Kind::ToolResult => self.tool_result(line),
            Kind::Interrupt | Kind::AskUser => self.question(line),
            _ => self.remark(line),
        }
    }

    fn main_agent_speaks(&mut self, block: Block) {
        self.all_answered();
        self.block(RUN, block);
    }

    fn tool_result(&mut self, line: &Native<'_>) {
        if let Some(id) = id_key(line.id) {
            let tool = name_key(line.name);
            self.answered_by(&id, tool.as_deref());
            self.root.calls.result(&id, tool.as_deref());
            self.outcome(RUN, &id, line);
        }
        self.tell(RUN, words::tool_result(line, self.manner.excerpts));
    }

    /// What a model, the rubric, the summary or the tool selection did: an activity of the child
    /// that the line names, else of the run.
    fn remark(&mut self, line: &Native<'_>) {
        if line.kind == Kind::RubricEvaluation
            && let Some(result) = words::rubric_result(line, self.manner.excerpts)
        {
            self.rubric = Some((result, line.iteration.and_then(Raw::as_u53)));
        }
        let moves = matches!(line.kind, Kind::ModelRetry | Kind::ModelOutputDiscarded);
        if let Some(number) = self.remarked_on(line) {
            if moves && number != RUN {
                self.subagent_runs(number);
            }
            self.tell(
                number,
                Told::activity(words::remark(line, self.manner.excerpts)),
            );
        }
    }

    /// The run works: for the first time, or again.
    fn root_runs(&mut self) {
        let first_said = self.root.state.is_none();
        let details = if first_said {
            introduction()
        } else {
            Details::new()
        };
        self.tell(RUN, Told::state(State::Running).with(details));
    }

    /// A chunk: tells the block it begins, of its further chunks only that there are some.
    fn block(&mut self, number: u64, block: Block) {
        let every = self.manner.heartbeat_every;
        let now = self.emitter.clock.now();
        let Some(child) = self.child(number) else {
            return;
        };
        if child.block != Some(block) {
            self.tell(number, Told::activity(words::block(block)));
            if let Some(child) = self.child(number) {
                child.block = Some(block);
            }
        } else if now.since(child.last_event) >= every {
            self.tell(number, Told::heartbeat());
        }
    }

    fn child(&mut self, number: u64) -> Option<&mut Child> {
        match number {
            RUN => Some(&mut self.root),
            number => self.children.get(number),
        }
    }

    /// Says something of a child; a sub-agent that has ended is open no more.
    fn tell(&mut self, number: u64, told: Told) {
        let child = match number {
            RUN => Some(&mut self.root),
            number => self.children.get(number),
        };
        let Some(child) = child else { return };
        self.emitter.emit(child, told);
        if number != RUN && child.state.is_some_and(State::is_terminal) {
            self.children.end(number);
        }
    }
}

#[cfg(test)]
mod tests;
