//! The agents of one run: the open ones in order of start, and a short memory of the ended ones.
//!
//! Looked up by instance, by call and by name; every look-up gives the oldest first. Memory is
//! that of the open children, 8 bytes for each child id ever given, and at least [`REMEMBERED`] ended ones.

mod keys;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use lctools::event::{Capability, State};
use lctools::time::UtcTime;

use crate::calls::{Calls, agree};
use keys::{answer_key, call_key, instance_key, name_key};

/// How many ended children are remembered, so that what still comes of them is known as late.
const REMEMBERED: usize = 16_384;

/// An ended child is remembered by its instance, its call and its name.
const REMEMBERED_KEYS: usize = 3 * REMEMBERED;

/// How many children of one name, or of one call, are looked at.
const OF_ONE_NAME: usize = 64;

/// The number of the run itself among the children.
pub(crate) const RUN: u64 = 0;

/// Who makes the calls that tasks of a panel answer to, the evaluations. Their results are not
/// those of the tasks; so it is nobody.
pub(crate) const EVALUATIONS: u64 = u64::MAX / 2;

/// What streams in as chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Block {
    Thinking,
    Responding,
}

/// The call that a sub-agent answers to.
#[derive(Debug)]
pub(crate) struct AnswersTo {
    /// The number of who made it.
    pub(crate) by: u64,
    pub(crate) id: Box<str>,
    /// What was called, where that is known.
    pub(crate) tool: Option<Box<str>>,
    /// Its start did not say so; it is only the likeliest.
    pub(crate) guessed: bool,
}

/// How the call that a sub-agent answers to came out.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) failed: bool,
    pub(crate) cause: Option<String>,
}

/// One agent.
#[derive(Debug)]
pub(crate) struct Child {
    /// 0 the run, then in order of start.
    pub(crate) number: u64,
    pub(crate) child_id: Box<str>,
    pub(crate) parent: Option<Box<str>>,
    pub(crate) attempt: u64,
    /// Known unless its beginning was missed.
    pub(crate) history: Capability,
    pub(crate) sequence: u64,
    /// None before anything was said of it.
    pub(crate) state: Option<State>,
    pub(crate) block: Option<Block>,
    pub(crate) last_event: UtcTime,
    pub(crate) name: Box<str>,
    /// Its instance or panel id, if it has one.
    pub(crate) instance: Option<Box<str>>,
    pub(crate) panel: bool,
    pub(crate) call: Option<AnswersTo>,
    pub(crate) outcome: Option<Outcome>,
    pub(crate) calls: Calls,
}

impl Child {
    /// An agent of whom nothing was said yet.
    pub(crate) fn new(child_id: impl Into<Box<str>>, name: &str, now: UtcTime) -> Child {
        Child {
            number: RUN,
            child_id: child_id.into(),
            parent: None,
            attempt: 0,
            history: Capability::Known,
            sequence: 0,
            state: None,
            block: None,
            last_event: now,
            name: name.into(),
            instance: None,
            panel: false,
            call: None,
            outcome: None,
            calls: Calls::default(),
        }
    }

    fn keys(&self) -> impl Iterator<Item = u64> + use<> {
        let instance = self
            .instance
            .as_deref()
            .map(|id| instance_key(id, self.panel));
        let waits = self.outcome.is_none();
        let call = self.call.as_ref().filter(|_| waits);
        let call = call.map(|call| call_key(call.by, &call.id));
        let answers = self.call.as_ref();
        let answers = answers.map(|call| answer_key(&call.id, self.panel));
        [
            instance,
            call,
            answers,
            Some(name_key(&self.name, self.panel)),
        ]
        .into_iter()
        .flatten()
    }
}

/// What is remembered of an ended child.
#[derive(Clone, Debug)]
pub(crate) struct Past {
    /// The number it had, which no other child gets.
    pub(crate) number: u64,
    pub(crate) attempt: u64,
    pub(crate) child_id: Box<str>,
}

#[derive(Debug, Default)]
pub(crate) struct Children {
    open: BTreeMap<u64, Child>,
    /// (hash of a key, number): the open children by everything they are looked up by.
    index: BTreeSet<(u64, u64)>,
    ended: HashMap<u64, Past>,
    ended_order: VecDeque<u64>,
    started: u64,
    ended_as: BTreeMap<State, u64>,
}

impl Children {
    /// Adds a child and gives its number.
    pub(crate) fn add(&mut self, mut child: Child) -> u64 {
        self.started += 1;
        let number = self.started;
        child.number = number;
        self.index.extend(child.keys().map(|key| (key, number)));
        self.open.insert(number, child);
        number
    }

    /// The open child of that number.
    pub(crate) fn get(&mut self, number: u64) -> Option<&mut Child> {
        self.open.get_mut(&number)
    }

    /// The open children in order of start.
    pub(crate) fn open(&self) -> impl Iterator<Item = &Child> {
        self.open.values()
    }

    /// The numbers of the open children in order of start.
    pub(crate) fn numbers(&self) -> Vec<u64> {
        self.open.keys().copied().collect()
    }

    /// Changes what a child is looked up by.
    pub(crate) fn change(&mut self, number: u64, change: impl FnOnce(&mut Child)) {
        if let Some(child) = self.open.get_mut(&number) {
            for key in child.keys() {
                self.index.remove(&(key, number));
            }
            change(child);
            self.index.extend(child.keys().map(|key| (key, number)));
        }
    }

    /// A child has ended in its state.
    pub(crate) fn end(&mut self, number: u64) {
        let Some(child) = self.open.remove(&number) else {
            return;
        };
        for key in child.keys() {
            self.index.remove(&(key, number));
        }
        if let Some(state) = child.state {
            *self.ended_as.entry(state).or_default() += 1;
        }
        let past = Past {
            number,
            attempt: child.attempt,
            child_id: child.child_id,
        };
        if let Some(instance) = &child.instance {
            self.remember(instance_key(instance, child.panel), past.clone());
        }
        // Of tasks with an id an evaluation has many.
        if let Some(call) = child
            .call
            .filter(|_| !child.panel || child.instance.is_none())
        {
            self.remember(answer_key(&call.id, child.panel), past.clone());
        }
        self.remember(name_key(&child.name, child.panel), past);
    }

    fn remember(&mut self, key: u64, past: Past) {
        if self.ended.insert(key, past).is_none() {
            self.ended_order.push_back(key);
            if self.ended_order.len() > REMEMBERED_KEYS
                && let Some(oldest) = self.ended_order.pop_front()
            {
                self.ended.remove(&oldest);
            }
        }
    }

    /// The open child of that instance or panel id.
    pub(crate) fn of_instance(&self, id: &str, panel: bool) -> Option<u64> {
        let same = |child: &Child| child.panel == panel && child.instance.as_deref() == Some(id);
        self.found(instance_key(id, panel))
            .find(|child| same(child))
            .map(|child| child.number)
    }

    /// The open sub-agent of that instance.
    pub(crate) fn instance(&self, id: &str) -> Option<&Child> {
        self.open.get(&self.of_instance(id, false)?)
    }

    /// The ended child of that instance or panel id, if it is still remembered.
    pub(crate) fn ended_instance(&self, id: &str, panel: bool) -> Option<&Past> {
        self.ended.get(&instance_key(id, panel))
    }

    /// Whether a child of that name has ended.
    pub(crate) fn ended_name(&self, name: &str, panel: bool) -> bool {
        self.ended.contains_key(&name_key(name, panel))
    }

    /// Whether a child that answered to that call, or a task of that evaluation, has ended.
    pub(crate) fn ended_call(&self, id: &str, panel: bool) -> bool {
        self.ended.contains_key(&answer_key(id, panel))
    }

    /// The oldest open child that answers to that call, of that tool if both are known, and has
    /// no result yet.
    pub(crate) fn awaiting(&self, scope: u64, call: &str, tool: Option<&str>) -> Option<u64> {
        let its =
            |to: &AnswersTo| to.by == scope && *to.id == *call && agree(to.tool.as_deref(), tool);
        let same = |child: &Child| child.outcome.is_none() && child.call.as_ref().is_some_and(its);
        self.found(call_key(scope, call))
            .find(|child| same(child))
            .map(|child| child.number)
    }

    /// The open sub-agents, or tasks of panels, of that name, the oldest first.
    pub(crate) fn of_name(&self, name: &str, panel: bool) -> impl Iterator<Item = &Child> {
        self.found(name_key(name, panel))
            .take(OF_ONE_NAME)
            .filter(move |child| child.panel == panel && *child.name == *name)
    }

    /// The open sub-agents that answer to a call of that id, or tasks of that evaluation, the
    /// oldest first.
    pub(crate) fn of_call(&self, id: &str, panel: bool) -> impl Iterator<Item = &Child> {
        self.found(answer_key(id, panel))
            .take(OF_ONE_NAME)
            .filter(move |child| {
                let call = child.call.as_ref();
                child.panel == panel && call.is_some_and(|call| *call.id == *id)
            })
    }

    fn found(&self, key: u64) -> impl Iterator<Item = &Child> {
        self.index
            .range((key, 0)..=(key, u64::MAX))
            .filter_map(|(_, number)| self.open.get(number))
    }

    /// How many children are in which state, ended ones too.
    pub(crate) fn states(&self) -> BTreeMap<State, u64> {
        let mut states = self.ended_as.clone();
        for state in self.open.values().filter_map(|child| child.state) {
            *states.entry(state).or_default() += 1;
        }
        states
    }
}

#[cfg(test)]
mod tests;
