//! Names for people: an agent's name and a short id, but never the same for two children.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};

use lctools::projection::Child;

use crate::forest::{Forest, Walk};
use crate::look::Look;
use crate::row::agent;
use crate::text;

/// An id wider than this is shown by its two ends.
const WIDEST_ID: usize = 40;

/// How wide the beginning and the end of such an id are.
const ENDS: (usize, usize) = (20, 12);

/// A child's name in a tree.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Name {
    /// The agent's own, if it has one.
    pub(crate) agent: Option<String>,
    /// The id, short or whole.
    pub(crate) id: String,
}

/// Which children's short names are taken.
#[derive(Debug)]
pub(crate) struct Names {
    /// Children shown with their whole id.
    whole: HashSet<usize>,
    /// Several sources are shown: a top tells its own.
    sources: bool,
}

impl Names {
    /// Looks for short names that two children of one top would share.
    pub(crate) fn new(children: &[Child], forest: &Forest) -> Names {
        let mut names = Names {
            whole: HashSet::new(),
            sources: children
                .windows(2)
                .any(|two| two[0].source() != two[1].source()),
        };
        let hasher = RandomState::new();
        let mut taken: HashMap<u64, usize> = HashMap::new();
        let mut walk = Walk::default();
        while let Some(place) = walk.next(forest) {
            let Some(name) = names.of(children, place, walk.top()) else {
                continue;
            };
            // The tops stand side by side; all others under theirs.
            let under = walk.top().filter(|top| *top != place);
            let shown = hasher.hash_one((under, name.agent, name.id));
            if let Some(first) = taken.insert(shown, place) {
                names.whole.extend([first, place]);
            }
        }
        names
    }

    /// The name of a child that stands under `top`, or is it.
    pub(crate) fn of(&self, children: &[Child], place: usize, top: Option<usize>) -> Option<Name> {
        let child = children.get(place)?;
        let top = top.and_then(|top| children.get(top));
        let agent = agent(child, "name");
        let mut id = child.id();
        if self.whole.contains(&place) {
            return Some(Name {
                agent,
                id: id.to_owned(),
            });
        }
        let is_top = top.is_some_and(|top| std::ptr::eq(top, child));
        if !is_top && let Some(top) = top {
            // What the top says already need not be said again.
            let rest = id
                .strip_prefix(top.id())
                .and_then(|rest| rest.strip_prefix('/'));
            id = rest.filter(|rest| !rest.is_empty()).unwrap_or(id);
        }
        if let Some(agent) = &agent {
            let rest = id
                .strip_prefix(agent.as_str())
                .and_then(|rest| rest.strip_prefix('.'));
            id = rest.filter(|rest| !rest.is_empty()).unwrap_or(id);
        }
        let mut id = shorten(&text::harmless(id));
        if is_top && self.sources {
            id = format!("{}: {id}", child.source());
        }
        Some(Name { agent, id })
    }
}

fn shorten(id: &str) -> String {
    if text::width(id) <= WIDEST_ID {
        return id.to_owned();
    }
    let (beginning, end) = (text::beginning(id, ENDS.0), text::end(id, ENDS.1));
    format!("{beginning}…{end}")
}

impl Name {
    /// The name within `room` columns: of the id its end stays, which tells it from the others.
    pub(crate) fn narrowed(self, room: usize) -> Name {
        let wide = |text: &str| text::width(&text::harmless(text));
        let agent = self.agent.as_deref().map_or(0, |agent| wide(agent) + 1);
        if agent + wide(&self.id) <= room {
            return self;
        }
        let id = match room.saturating_sub(agent + 1) {
            0 => String::new(),
            left => format!("…{}", text::end(&self.id, left)),
        };
        let agent = self
            .agent
            .map(|agent| match id.is_empty() && agent.len() > room {
                true => format!("{}…", text::beginning(&agent, room.saturating_sub(1))),
                false => agent,
            });
        Name { agent, id }
    }

    /// The name as plain text, its ellipsis as the look has it.
    pub(crate) fn id_as(&self, look: &Look) -> String {
        self.id.replace('…', look.ellipsis())
    }
}
