//! Panels: one evaluation that dispatches several tasks, each a child of its own.
//!
//! A panel tells how a task ends, but nothing of its work; so its children run from the start.

use lctools::event::State;
use lctools::finding::Problem;
use lctools::json::Raw;

use super::Run;
use super::find::agent_name;
use super::subagents::{Beginning, orphan};
use crate::details::Details;
use crate::emit::Told;
use crate::excerpt::id_key;
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
            call: None,
            description: excerpts
                .of(line.description)
                .or_else(|| excerpts.of(line.label)),
        });
        self.tell(number, Told::state(State::Running));
    }

    pub(super) fn panel_end(&mut self, line: &Native<'_>) -> Option<Problem> {
        let Some(id) = id_key(line.id) else {
            return Some(orphan("a panel task"));
        };
        let Some(number) = self.children.of_instance(&id, true) else {
            if self.children.ended_instance(&id, true).is_some() {
                self.ignored += 1;
                return None;
            }
            return Some(orphan(&lctools::redact::excerpt(&id, 64)));
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
}

/// A number of milliseconds; Python may write it with a fraction, which is dropped.
fn whole(raw: Raw<'_>) -> Option<u64> {
    raw.as_u53().or_else(|| {
        let (whole, fraction) = raw.text().split_once('.')?;
        let plain = fraction.bytes().all(|byte| byte.is_ascii_digit());
        whole.parse().ok().filter(|_| plain)
    })
}
