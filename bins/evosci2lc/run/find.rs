//! Whom a line is about.
//!
//! An instance id decides, where a line has one. Without, the call that a start answered to tells
//! sub-agents of one name apart; without that, only the name is left, and the oldest open child
//! of that name is meant.

use lctools::json::Raw;

use super::Run;
use crate::calls::agree;
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
        match self.find_instance(&instance) {
            Found::Unknown => self.adopt(&instance, self.nameless(&agent_name(name), None)),
            found => found,
        }
    }

    fn find_instance(&self, instance: &str) -> Found {
        match self.children.of_instance(instance, false) {
            Some(number) => Found::Open(number),
            None if self.children.ended_instance(instance, false).is_some() => Found::Ended,
            None => Found::Unknown,
        }
    }

    /// The oldest of a name that has no instance, and that may answer to a call.
    fn nameless(&self, name: &str, call: Option<&str>) -> Option<u64> {
        let fits = |child: &&Child| child.instance.is_none() && may_answer(child, call);
        let found = self.children.of_name(name, false).find(fits);
        found.map(|child| child.number)
    }

    /// The instance of a child whose start had none is known from now on.
    fn adopt(&mut self, instance: &str, number: Option<u64>) -> Found {
        let Some(number) = number else {
            return Found::Unknown;
        };
        self.children
            .change(number, |child| child.instance = Some(instance.into()));
        Found::Open(number)
    }

    fn find_by_name(&self, name: Option<Raw<'_>>) -> Found {
        let name = agent_name(name);
        let oldest = self.children.of_name(&name, false).next();
        let working = self
            .children
            .of_name(&name, false)
            .find(|child| child.outcome.is_none());
        match working.or(oldest) {
            Some(child) => Found::Open(child.number),
            None if self.children.ended_name(&name, false) => Found::Ended,
            None => Found::Unknown,
        }
    }

    /// Whose end a line is: by instance, by call whatever the name, else the one of that name
    /// that has its result, else the oldest.
    pub(super) fn find_ending(&mut self, line: &Native<'_>) -> Found {
        let name = agent_name(line.name);
        let call = id_key(line.tool_call_id);
        let call = call.as_deref();
        if let Some(instance) = id_key(line.instance_id) {
            let found = self.find_instance(&instance);
            if !matches!(found, Found::Unknown) {
                return found;
            }
            let by_call = self.answering(call, &name, |child| child.instance.is_none());
            let number = by_call.or_else(|| self.nameless(&name, call));
            return self.adopt(&instance, number);
        }
        if let Some(number) = self.answering(call, &name, |_| true) {
            return Found::Open(number);
        }
        if call.is_some_and(|id| self.children.ended_call(id, false)) {
            return Found::Ended;
        }
        let of_name = self.children.of_name(&name, false);
        let its = of_name.filter(|child| may_answer(child, call));
        match its.min_by_key(|child| child.outcome.is_none()) {
            Some(child) => Found::Open(child.number),
            None if self.children.ended_name(&name, false) => Found::Ended,
            None => Found::Unknown,
        }
    }

    /// The child that answers to a call: of several one of that name, that has its result.
    fn answering(
        &self,
        call: Option<&str>,
        name: &str,
        fits: impl Fn(&Child) -> bool,
    ) -> Option<u64> {
        let answering = self.children.of_call(call?, false);
        let rank = |child: &&Child| (*child.name != *name, child.outcome.is_none());
        let found = answering.filter(|child| fits(child)).min_by_key(rank);
        found.map(|child| child.number)
    }
}

/// Whether a child's start said nothing of another call.
fn may_answer(child: &Child, call: Option<&str>) -> bool {
    let said = child.call.as_ref().filter(|call| !call.guessed);
    agree(said.map(|call| &*call.id), call)
}
