//! The open calls of one agent: which a start may answer, which a question may be about.
//!
//! Call ids come from the model's provider and repeat. So a list, not a map: a start takes the
//! oldest call of its id that may start a sub-agent, a result the oldest of its id and tool. At
//! most [`REMEMBERED`] calls are kept for each agent; of an
//! older one only the description of a sub-agent it starts is lost.

use std::cmp::Reverse;
use std::collections::VecDeque;

use lctools::json::Raw;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::excerpt::{Excerpts, beginning, id_key, name_key};
use crate::identity::key;
use crate::native::Native;

/// How many open calls are kept for each agent.
const REMEMBERED: usize = 64;

/// The tools that are known to start sub-agents, and the one among them that starts just one.
const STARTERS: [&str; 2] = [TASK, "code_interpreter"];
const TASK: &str = "task";

#[derive(Debug)]
struct Call {
    id: Box<str>,
    /// What was called, if it says so.
    tool: Option<Box<str>>,
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
    /// What was called, where that is certain.
    pub(crate) tool: Option<Box<str>>,
    pub(crate) description: Option<String>,
}

impl Call {
    fn starter(&self) -> bool {
        self.tool
            .as_deref()
            .is_some_and(|tool| STARTERS.contains(&tool))
    }

    fn task(&self) -> bool {
        self.tool.as_deref() == Some(TASK)
    }
}

#[derive(Debug, Default)]
pub(crate) struct Calls(VecDeque<Call>);

impl Calls {
    /// A call was made.
    pub(crate) fn made(&mut self, line: &Native<'_>, excerpts: Excerpts) {
        let Some(id) = id_key(line.id) else { return };
        let name = line.name.and_then(Raw::as_str).unwrap_or_default();
        let tool = name_key(line.name);
        let task = tool.as_deref() == Some(TASK);
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
            tool: tool.map(Into::into),
            agent: agent.and_then(beginning).map(|agent| key(agent).into()),
            description: excerpts.of(description),
            started: false,
            content: content(&name, line.args),
        });
    }

    /// A start says which call it answers to: of several, one of a tool that starts sub-agents,
    /// that nothing has answered, that was for this agent, the oldest. What was called is certain
    /// of such a tool, else only if all calls of the id agree.
    pub(crate) fn answer(&mut self, id: &str, agent: &str) -> Answered {
        let mut tools = self
            .0
            .iter()
            .filter(|call| *call.id == *id)
            .map(|call| &call.tool);
        let first = tools.next();
        let agreed = tools.all(|tool| Some(tool) == first);
        let rank = |call: &&mut Call| {
            let this_agent = call.agent.as_deref() == Some(agent);
            Reverse((call.starter(), !call.started, this_agent))
        };
        let mut answered = Answered {
            id: id.into(),
            ..Answered::default()
        };
        let of_id = self.0.iter_mut().filter(|call| *call.id == *id);
        if let Some(call) = of_id.min_by_key(rank) {
            call.started = true;
            answered.tool = call.tool.clone().filter(|_| agreed || call.starter());
            answered.description = call.description.take();
        }
        answered
    }

    /// A start does not say it: the nearest `task` call before it that nothing has answered, one
    /// for that agent first.
    pub(crate) fn answer_nearest(&mut self, agent: &str) -> Option<Answered> {
        let open = |call: &&mut Call| call.task() && !call.started;
        let rank = |call: &&mut Call| (call.agent.as_deref() == Some(agent), call.agent.is_none());
        let nearest = self.0.iter_mut().filter(open).max_by_key(rank)?;
        nearest.started = true;
        Some(Answered {
            id: nearest.id.clone(),
            tool: nearest.tool.clone(),
            description: nearest.description.take(),
        })
    }

    /// A result of that tool came.
    pub(crate) fn result(&mut self, id: &str, tool: Option<&str>) {
        let its = |call: &Call| *call.id == *id && agree(call.tool.as_deref(), tool);
        if let Some(at) = self.0.iter().position(its) {
            self.0.remove(at);
        }
    }

    /// What was called by that id, if a call of `likely` or all calls of the id say so.
    pub(crate) fn tool_of(&self, id: &str, likely: &str) -> Option<Box<str>> {
        let mut tools = self
            .0
            .iter()
            .filter(|call| *call.id == *id)
            .map(|call| &call.tool);
        if tools.clone().any(|tool| tool.as_deref() == Some(likely)) {
            return Some(likely.into());
        }
        let first = tools.next()?;
        first.clone().filter(|_| tools.all(|tool| tool == first))
    }

    /// The open call of that name and those arguments.
    pub(crate) fn like(&self, name: &str, args: Option<Raw<'_>>) -> Option<Box<str>> {
        let content = content(name, args);
        let found = self.0.iter().rev().find(|call| call.content == content)?;
        Some(found.id.clone())
    }
}

/// Whether two names may be the same: where one is not known, they may.
pub(crate) fn agree(one: Option<&str>, other: Option<&str>) -> bool {
    one.is_none() || other.is_none() || one == other
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
        let mut described = |id: &str, agent: &str| calls.answer(id, agent).description;
        assert_eq!(described("c", "?").unwrap(), "one");
        assert_eq!(described("c", "?").unwrap(), "two");
        assert_eq!(described("c", "?"), None);
        calls.result("c", Some("task"));
        calls.result("c", None);
        assert!(calls.0.is_empty());
    }

    #[test]
    fn of_calls_of_one_id_a_start_answers_the_one_that_starts_it() {
        let other =
            br#"{"type":"tool_call","name":"write_file","id":"c","args":{"description":"no"}}"#;
        let mut calls = Calls::default();
        calls.made(&Native::parse(other).unwrap(), Excerpts { max: 160 });
        assert_eq!(
            calls.answer("c", "a").tool.as_deref(),
            Some("write_file"),
            "the only one"
        );
        made(&mut calls, "c", "a", "for a");
        made(&mut calls, "c", "b", "for b");
        let first = calls.answer("c", "b");
        assert_eq!(first.tool.as_deref(), Some("task"));
        assert_eq!(first.description.as_deref(), Some("for b"));
        let second = calls.answer("c", "b");
        assert_eq!(second.description.as_deref(), Some("for a"));
        assert_eq!(calls.answer("c", "b").tool.as_deref(), Some("task"));
        calls.result("c", Some("task"));
        assert_eq!(
            calls.0.front().and_then(|call| call.tool.as_deref()),
            Some("write_file")
        );
        calls.result("c", Some("unheard of"));
        assert_eq!(calls.0.len(), 2);
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
        assert_eq!(calls.answer("0", "a").description, None);
        assert_eq!(calls.answer("999", "a").description.unwrap(), "d");
    }
}
