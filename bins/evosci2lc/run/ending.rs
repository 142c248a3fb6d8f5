//! How a run ends: by its own word, by the runtime's exit, or only by the end of its stream,
//! which is no end at all.

use lctools::event::State;
use lctools::finding::{Code, Problem};
use lctools::json::Raw;
use lctools::time::UtcTime;

use super::exit::Exit;
use super::{Health, Run};
use crate::children::RUN;
use crate::details::Details;
use crate::emit::Told;
use crate::native::{Kind, Native};

/// How many open children a diagnostic names, and a message.
const NAMED: usize = 32;
const NAMED_IN_MESSAGE: usize = 8;

/// How a run has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// `done`.
    Done,
    /// `done` while a question was open.
    Interrupt,
    /// `error`.
    Error,
    /// The runtime went without a word.
    Exit,
}

impl Run {
    pub(super) fn done(&mut self, line: &Native<'_>) {
        let details = self.closing_details(line);
        if self.questions.is_empty() {
            self.end = Some(End::Done);
            self.tell(
                RUN,
                Told::state(State::Completed)
                    .with(details)
                    .cause_known(true),
            );
        } else {
            self.end = Some(End::Interrupt);
            self.tell(RUN, Told::activity("waiting for input").with(details));
        }
    }

    pub(super) fn error(&mut self, line: &Native<'_>) {
        self.end = Some(End::Error);
        let cause = self.manner.excerpts.of(line.message);
        let details = Details::new()
            .text("cause", Some(cause.as_deref().unwrap_or("error")))
            .object("usage", self.usage_details())
            .object("adapter", self.health_details());
        let told = Told::state(State::Failed).with(details);
        self.tell(RUN, told.cause_known(cause.is_some()));
    }

    /// A line after the end moves nothing; an error after `done` is told.
    pub(super) fn after_end(&mut self, end: End, line: &Native<'_>) -> Option<Problem> {
        let after_done = matches!(end, End::Done | End::Interrupt);
        if line.kind != Kind::Error || !after_done {
            self.ignored += 1;
            return None;
        }
        let cause = self.manner.excerpts.of(line.message);
        let details = Details::new()
            .text("cause", cause.as_deref())
            .object("adapter", self.health_details());
        self.tell(RUN, Told::diagnostic("error after done").with(details));
        let message = "an error after `done`; the run stays as it was";
        Some(Problem::new(Code::AfterEnd, message))
    }

    /// The runtime's process has ended, says the wrapper: what is still open is settled, but by
    /// no exit code as a success.
    pub(super) fn runtime_exit(&mut self, line: &Native<'_>) -> Option<Problem> {
        let Some(exit) = Exit::of(line) else {
            let message = "`runtime_exit` needs a `code` (a number) or a `signal` (a number or name); ignored";
            return Some(Problem::new(Code::InvalidField, message));
        };
        if self.end == Some(End::Exit) {
            self.ignored += 1;
            return None;
        }
        let text = exit.text();
        if let Some(state) = exit.verdict() {
            for number in self.children.numbers() {
                let details = Details::new().text("cause", Some(&text));
                self.tell(number, Told::state(state).with(details).cause_known(true));
            }
        }
        if self.end.is_some() {
            return None;
        }
        self.end = Some(End::Exit);
        let Some(state) = exit.verdict() else {
            self.diagnose(&format!("{text} and without a word of the run"));
            let message = format!(
                "{text}, the run did not say `done`: not a success; {}",
                self.open_named()
            );
            return Some(Problem::new(Code::StreamEnded, message));
        };
        let details = Details::new()
            .text("cause", Some(&text))
            .object("usage", self.usage_details())
            .object("adapter", self.health_details());
        self.tell(RUN, Told::state(state).with(details).cause_known(true));
        None
    }

    /// The stream has ended. That is no end of the run.
    pub(crate) fn close(
        &mut self,
        receipt: UtcTime,
        health: Health,
        out: &mut Vec<u8>,
    ) -> Option<Problem> {
        if self.end.is_some() {
            return None;
        }
        self.emitter.clock.receive(receipt);
        self.health = health;
        self.writing_to(out, |run| run.diagnose("the input ended, the run did not"));
        let message = format!(
            "the input ended, the run did not say `done` or `error`; {}",
            self.open_named()
        );
        Some(Problem::new(Code::StreamEnded, message))
    }

    fn diagnose(&mut self, text: &str) {
        let mut open: Vec<&str> = vec![&self.root.child_id];
        open.extend(self.children.open().map(|child| &*child.child_id));
        let details = Details::new()
            .texts("openChildren", open.iter().copied().take(NAMED))
            .number("openCount", Some(open.len() as u64))
            .object("usage", self.usage_details())
            .object("adapter", self.health_details());
        self.tell(RUN, Told::diagnostic(text.to_owned()).with(details));
    }

    /// The open children for a message, with their states.
    fn open_named(&self) -> String {
        let all = std::iter::once(&self.root).chain(self.children.open());
        let mut named: Vec<String> = all
            .take(NAMED_IN_MESSAGE)
            .map(|child| match child.state {
                Some(state) => format!("{} ({state})", child.child_id),
                None => child.child_id.to_string(),
            })
            .collect();
        let count = 1 + self.children.open().count();
        if count > named.len() {
            named.push(format!("{} more", count - named.len()));
        }
        format!("still open: {}", named.join(", "))
    }

    fn closing_details(&self, line: &Native<'_>) -> Details {
        let text = line.response.or(line.content);
        let bytes = text.and_then(Raw::as_str).map(|text| text.len() as u64);
        let response = Details::new()
            .text("excerpt", self.manner.excerpts.of(text).as_deref())
            .number("bytes", bytes);
        let rubric = match &self.rubric {
            Some((result, iteration)) => Details::new()
                .text("result", Some(result))
                .number("iteration", *iteration),
            None => Details::new(),
        };
        Details::new()
            .object("usage", self.usage_details())
            .object("response", response)
            .object("rubric", rubric)
            .object("adapter", self.health_details())
    }
}
