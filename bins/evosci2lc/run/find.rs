//! Whom a line is about.
//!
//! An instance id decides, where a line has one. Without, the call that a start answered to tells
//! sub-agents of one name apart; without that, only the name is left, and the oldest open child
//! of that name is meant.

use lctools::json::Raw;

use super::Run;
use crate::children::{Child, RUN};
use crate::excerpt::{self, id_key};
use crate::identity::ancestors;
use crate::native::Native;

/// Who a line is about.
pub(super) enum Found {
    Open(u64),
    Ended,
    Unknown,
}

/// The name of a sub-agent, as it is compared and shown.
pub(super) fn agent_name(raw: Option<Raw<'_>>) -> String {
    excerpt::name(raw).unwrap_or_else(|| "agent".to_owned())
}

impl Run {
    /// Whose child an instance is: the nearest known one that it extends, else the run. One that
    /// has ended makes no calls any more; its number keeps apart what it made from what others do.
    pub(super) fn parent_of(&self, instance: Option<&str>) -> (u64, Box<str>) {
        for ancestor in instance.into_iter().flat_map(ancestors) {
            if let Some(child) = self.children.instance(ancestor) {
                return (child.number, child.child_id.clone());
            }
            if let Some(past) = self.children.ended_instance(ancestor, false) {
                return (past.number, past.child_id.clone());
            }
        }
        (RUN, self.root.child_id.clone())
    }

    /// The child that a remark names; `None` when it has ended.
    pub(super) fn remarked_on(&mut self, line: &Native<'_>) -> Option<u64> {
        let names_one =
            id_key(line.instance_id).is_some() || excerpt::name(line.subagent).is_some();
        if !names_one {
            return Some(RUN);
        }
        match self.find(line, line.subagent) {
            Found::Open(number) => Some(number),
            Found::Unknown => Some(RUN),
            Found::Ended => {
                self.ignored += 1;
                None
            }
        }
    }

    /// Who a line is about: by instance; by name only where the line or the start had none.
    pub(super) fn find(&mut self, line: &Native<'_>, name: Option<Raw<'_>>) -> Found {
        let Some(instance) = id_key(line.instance_id) else {
            return self.find_by_name(name);
        };
        if let Some(number) = self.children.of_instance(&instance, false) {
            return Found::Open(number);
        }
        if self.children.ended_instance(&instance, false).is_some() {
            return Found::Ended;
        }
        let name = agent_name(name);
        let nameless = self
            .children
            .of_name(&name)
            .find(|child| child.instance.is_none());
        match nameless.map(|child| child.number) {
            Some(number) => {
                let instance = instance.into();
                self.children
                    .change(number, |child| child.instance = Some(instance));
                Found::Open(number)
            }
            None => Found::Unknown,
        }
    }

    fn find_by_name(&self, name: Option<Raw<'_>>) -> Found {
        let name = agent_name(name);
        let oldest = self.children.of_name(&name).next();
        let working = self
            .children
            .of_name(&name)
            .find(|child| child.outcome.is_none());
        match working.or(oldest) {
            Some(child) => Found::Open(child.number),
            None if self.children.ended_name(&name) => Found::Ended,
            None => Found::Unknown,
        }
    }

    /// Whose end a line is: by instance, by call, else the one of that name that has its result.
    pub(super) fn find_ending(&mut self, line: &Native<'_>) -> Found {
        if id_key(line.instance_id).is_some() {
            return self.find(line, line.name);
        }
        let name = agent_name(line.name);
        let call = id_key(line.tool_call_id);
        let of_call = |child: &&Child| {
            let answered = child.call.as_ref().map(|call| &*call.id);
            call.is_some() && answered == call.as_deref()
        };
        let by_call = self.children.of_name(&name).find(of_call);
        let with_result = self
            .children
            .of_name(&name)
            .find(|child| child.outcome.is_some());
        match by_call.or(with_result) {
            Some(child) => Found::Open(child.number),
            None => self.find_by_name(line.name),
        }
    }
}
