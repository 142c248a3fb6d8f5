//! Panels: one evaluation that dispatches several tasks, each a child of its own.
//!
//! A panel tells how a task ends, but nothing of its work; so its children run from the start.

use lctools::event::State;
use lctools::finding::Problem;
use lctools::json::Raw;

use super::Run;
use super::find::{Found, agent_name};
use super::subagents::{Beginning, orphan};
use crate::calls::agree;
use crate::children::{AnswersTo, Child, EVALUATIONS};
use crate::details::Details;
use crate::emit::Told;
use crate::excerpt::{self, id_key};
use crate::native::{Kind, Native};

impl Run {
    pub(super) fn panel_start(&mut self, line: &Native<'_>) {
        let instance = id_key(line.id);
        let open = instance
            .as_deref()
            .and_then(|id| self.children.of_instance(id, true));
        if open.is_some() {
            // The same task dispatched twice at a time is one task, told twice.
            self.ignored += 1;
            return;
        }
        let excerpts = self.manner.excerpts;
        let number = self.begin_child(Beginning {
            name: agent_name(line.subagent_type),
            ambiguous: instance.is_none(),
            instance,
            panel: true,
            call: id_key(line.eval_id).map(|id| AnswersTo {
                by: EVALUATIONS,
                id: id.into(),
                tool: None,
                guessed: false,
            }),
            description: excerpts
                .of(line.description)
                .or_else(|| excerpts.of(line.label)),
        });
        self.tell(number, Told::state(State::Running));
    }

    pub(super) fn panel_end(&mut self, line: &Native<'_>) -> Option<Problem> {
        let number = match self.find_panel(line) {
            Found::Open(number) => number,
            Found::Ended => {
                self.ignored += 1;
                return None;
            }
            Found::Unknown => {
                let name = excerpt::id(line.id).or_else(|| excerpt::name(line.subagent_type));
                return Some(orphan(name.as_deref().unwrap_or("a panel task")));
            }
        };
        let duration = line.duration_ms.and_then(whole);
        let failed = line.kind == Kind::PanelError;
        let cause = failed
            .then(|| self.manner.excerpts.of(line.error))
            .flatten();
        let details = Details::new()
            .text("cause", cause.as_deref())
            .number("durationMs", duration);
        let state = if failed {
            State::Failed
        } else {
            State::Completed
        };
        let known = !failed || cause.is_some();
        self.tell(number, Told::state(state).with(details).cause_known(known));
        None
    }

    /// Whose end a line is: by id; where the line or the start had none, by name and evaluation;
    /// by evaluation alone only where the start had no id.
    fn find_panel(&mut self, line: &Native<'_>) -> Found {
        let id = id_key(line.id);
        let id = id.as_deref();
        if let Some(number) = id.and_then(|id| self.children.of_instance(id, true)) {
            return Found::Open(number);
        }
        if id.is_some_and(|id| self.children.ended_instance(id, true).is_some()) {
            return Found::Ended;
        }
        let eval = id_key(line.eval_id);
        let eval = eval.as_deref();
        let name = excerpt::name(line.subagent_type);
        let nameless = |child: &&Child| child.instance.is_none();
        let fits = |child: &&Child| {
            let its = child.call.as_ref().map(|call| &*call.id);
            (id.is_none() || nameless(child)) && agree(its, eval)
        };
        let found = match (&name, eval) {
            (Some(name), _) => {
                let of_name = self.children.of_name(name, true).filter(fits);
                of_name.min_by_key(|child| child.instance.is_some())
            }
            (None, Some(eval)) => self.children.of_call(eval, true).find(nameless),
            (None, None) => None,
        };
        let Some(number) = found.map(|child| child.number) else {
            let ended = match (&name, eval) {
                (Some(name), _) => self.children.ended_name(name, true),
                (None, eval) => eval.is_some_and(|eval| self.children.ended_call(eval, true)),
            };
            return match ended && id.is_none() {
                true => Found::Ended,
                false => Found::Unknown,
            };
        };
        if let Some(id) = id {
            self.children
                .change(number, |child| child.instance = Some(id.into()));
        }
        Found::Open(number)
    }
}

/// A number of milliseconds; Python may write it with a fraction, which is dropped.
fn whole(raw: Raw<'_>) -> Option<u64> {
    raw.as_u53().or_else(|| {
        let (whole, fraction) = raw.text().split_once('.')?;
        let plain = fraction.bytes().all(|byte| byte.is_ascii_digit());
        whole.parse().ok().filter(|_| plain)
    })
}
