//! The open calls of one agent: which a start may answer, which a question may be about.
//!
//! Call ids come from the model's provider and repeat. So a list, not a map: a start or a result
//! takes the oldest call of its id. At most [`REMEMBERED`] calls are kept for each agent; of an
//! older one only the description of a sub-agent it starts is lost.

use std::collections::VecDeque;

use lctools::json::Raw;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::excerpt::{Excerpts, beginning, id_key};
use crate::identity::key;
use crate::native::Native;

/// How many open calls are kept for each agent.
const REMEMBERED: usize = 64;

#[derive(Debug)]
struct Call {
    id: Box<str>,
    /// A call of the tool `task`, which a start without a call id may answer.
    task: bool,
    /// `args.subagent_type` of such a call.
    agent: Option<Box<str>>,
    /// `args.description`, shown once.
    description: Option<String>,
    /// A start has answered to it.
    started: bool,
    /// Name and arguments, by which an interrupt tells what it is about.
    content: u64,
}

/// What a start learns from the call it answers to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Answered {
    pub(crate) id: Box<str>,
    pub(crate) description: Option<String>,
}

#[derive(Debug, Default)]
pub(crate) struct Calls(VecDeque<Call>);

impl Calls {
    /// A call was made.
    pub(crate) fn made(&mut self, line: &Native<'_>, excerpts: Excerpts) {
        let Some(id) = id_key(line.id) else { return };
        let name = line.name.and_then(Raw::as_str).unwrap_or_default();
        let task = name == "task";
        let (mut agent, mut description) = (None, None);
        // One walk: the arguments may be megabytes.
        for member in line.args.into_iter().flat_map(Raw::members) {
            match &*member.key {
                "description" => description = Some(member.value),
                "subagent_type" if task => agent = Some(member.value),
                _ => {}
            }
        }
        if self.0.len() == REMEMBERED {
            self.0.pop_front();
        }
        self.0.push_back(Call {
            id: id.into(),
            task,
            agent: agent.and_then(beginning).map(|agent| key(agent).into()),
            description: excerpts.of(description),
            started: false,
            content: content(&name, line.args),
        });
    }

    /// A start says which call it answers to.
    pub(crate) fn answer(&mut self, id: &str) -> Option<String> {
        let of_id = |call: &&mut Call| &*call.id == id;
        let fresh = self.0.iter_mut().filter(of_id).find(|call| !call.started)?;
        fresh.started = true;
        fresh.description.take()
    }

    /// A start does not say it: the nearest `task` call before it that nothing has answered, one
    /// for that agent first.
    pub(crate) fn answer_nearest(&mut self, agent: &str) -> Option<Answered> {
        let open = |call: &&mut Call| call.task && !call.started;
        let rank = |call: &&mut Call| (call.agent.as_deref() == Some(agent), call.agent.is_none());
        let nearest = self.0.iter_mut().filter(open).max_by_key(rank)?;
        nearest.started = true;
        Some(Answered {
            id: nearest.id.clone(),
            description: nearest.description.take(),
        })
    }

    /// A result came.
    pub(crate) fn result(&mut self, id: &str) {
        if let Some(at) = self.0.iter().position(|call| &*call.id == id) {
            self.0.remove(at);
        }
    }

    /// The open call of that name and those arguments.
    pub(crate) fn like(&self, name: &str, args: Option<Raw<'_>>) -> Option<Box<str>> {
        let content = content(name, args);
        let found = self.0.iter().rev().find(|call| call.content == content)?;
        Some(found.id.clone())
    }
}

fn content(name: &str, args: Option<Raw<'_>>) -> u64 {
    let args = args.map_or("", Raw::text);
    xxh3_64_with_seed(args.as_bytes(), xxh3_64_with_seed(name.as_bytes(), 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(calls: &mut Calls, id: &str, agent: &str, description: &str) {
        let line = format!(
            r#"{{"type":"tool_call","name":"task","id":"{id}","args":{{"description":"{description}","subagent_type":"{agent}"}}}}"#
        );
        let line = Native::parse(line.as_bytes()).unwrap();
        calls.made(&line, Excerpts { max: 160 });
    }

    #[test]
    fn a_description_is_used_once_and_repeated_ids_keep_their_order() {
        let mut calls = Calls::default();
        made(&mut calls, "c", "a", "one");
        made(&mut calls, "c", "a", "two");
        assert_eq!(calls.answer("c").unwrap(), "one");
        assert_eq!(calls.answer("c").unwrap(), "two");
        assert_eq!(calls.answer("c"), None);
        calls.result("c");
        calls.result("c");
        assert!(calls.0.is_empty());
    }

    #[test]
    fn the_nearest_open_task_of_that_agent_is_answered() {
        let mut calls = Calls::default();
        made(&mut calls, "1", "code", "x");
        made(&mut calls, "2", "research", "y");
        made(&mut calls, "3", "research", "z");
        let mut nearest = |agent: &str| calls.answer_nearest(agent).map(|call| call.id.to_string());
        assert_eq!(nearest("code").unwrap(), "1");
        assert_eq!(nearest("research").unwrap(), "3");
        assert_eq!(nearest("unheard of").unwrap(), "2");
        assert_eq!(nearest("code"), None);
    }

    #[test]
    fn no_agent_is_remembered_for_ever() {
        let mut calls = Calls::default();
        for number in 0..1_000 {
            made(&mut calls, &number.to_string(), "a", "d");
        }
        assert_eq!(calls.0.len(), REMEMBERED);
        assert_eq!(calls.answer("0"), None);
        assert_eq!(calls.answer("999").unwrap(), "d");
    }
}
