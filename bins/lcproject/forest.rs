//! Which child stands under which: any lineage, however deep or circular, without recursion.
//!
//! Memory: 12 bytes for each child.

use lctools::projection::Projection;

const NONE: u32 = u32::MAX;

/// The children as a forest; brothers and sisters first seen first.
#[derive(Debug)]
pub(crate) struct Forest {
    nodes: Vec<Node>,
    first: u32,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    first_child: u32,
    next: u32,
    last_child: u32,
}

impl Node {
    const ALONE: Node = Node {
        first_child: NONE,
        next: NONE,
        last_child: NONE,
    };
}

impl Forest {
    /// Puts each child under its parent. A child whose parent is unknown stands on top; so does
    /// one of a circle, where there is no top.
    pub(crate) fn new(projection: &Projection) -> Forest {
        let children = projection.children();
        let mut parents: Vec<u32> = children
            .iter()
            .map(|child| {
                let parent = child.parent_id();
                let place = parent.and_then(|parent| projection.find(child.source(), parent));
                place.map_or(NONE, |place| place as u32)
            })
            .collect();
        break_circles(&mut parents);
        Forest::of_parents(&parents)
    }

    fn of_parents(parents: &[u32]) -> Forest {
        let mut forest = Forest {
            nodes: vec![Node::ALONE; parents.len()],
            first: NONE,
        };
        let mut last_top = NONE;
        for (place, parent) in parents.iter().enumerate() {
            let place = place as u32;
            let last = match forest.node_mut(*parent) {
                Some(parent) => std::mem::replace(&mut parent.last_child, place),
                None => std::mem::replace(&mut last_top, place),
            };
            if let Some(brother) = forest.node_mut(last) {
                brother.next = place;
            } else if let Some(parent) = forest.node_mut(*parent) {
                parent.first_child = place;
            } else {
                forest.first = place;
            }
        }
        forest
    }

    fn node(&self, place: u32) -> Option<&Node> {
        self.nodes.get(place as usize)
    }

    fn node_mut(&mut self, place: u32) -> Option<&mut Node> {
        self.nodes.get_mut(place as usize)
    }
}

/// Takes its parent from one child of each circle, the one that a walk upwards meets first.
fn break_circles(parents: &mut [u32]) {
    // In which walk a child was met, from 1; 0 is never.
    let mut met = vec![0_u32; parents.len()];
    for start in 0..parents.len() {
        let walk = start as u32 + 1;
        let mut at = start;
        while met.get(at) == Some(&0) {
            met[at] = walk;
            at = parents[at] as usize;
        }
        if met.get(at) == Some(&walk) {
            parents[at] = NONE;
        }
    }
}

/// A walk over the forest: parents before their children.
#[derive(Clone, Debug, Default)]
pub(crate) struct Walk {
    /// From a top down to the child at hand.
    path: Vec<u32>,
    begun: bool,
}

impl Walk {
    /// The next child's place.
    pub(crate) fn next(&mut self, forest: &Forest) -> Option<usize> {
        let next = match self.path.last() {
            None if self.begun => return None,
            None => forest.first,
            Some(at) => match forest.node(*at)?.first_child {
                NONE => self.leave(forest)?,
                child => child,
            },
        };
        self.begun = true;
        forest.node(next)?;
        self.path.push(next);
        Some(next as usize)
    }

    /// Goes up until there is a way on.
    fn leave(&mut self, forest: &Forest) -> Option<u32> {
        while let Some(at) = self.path.pop() {
            match forest.node(at)?.next {
                NONE => {}
                next => return Some(next),
            }
        }
        None
    }

    /// How deep the child at hand is; 0 on top.
    pub(crate) fn depth(&self) -> usize {
        self.path.len().saturating_sub(1)
    }

    /// The top above the child at hand.
    pub(crate) fn top(&self) -> Option<usize> {
        self.path.first().map(|place| *place as usize)
    }

    /// For each level from 1 down to the child at hand: whether more children follow there.
    pub(crate) fn more_follow<'a>(&'a self, forest: &'a Forest) -> impl Iterator<Item = bool> + 'a {
        let below_top = self.path.iter().skip(1);
        below_top.map(|place| forest.node(*place).is_some_and(|node| node.next != NONE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The walk as `place@depth`, a `+` where more follow on that level.
    fn walked(parents: &[u32]) -> String {
        let mut parents = parents.to_vec();
        break_circles(&mut parents);
        let forest = Forest::of_parents(&parents);
        let mut walk = Walk::default();
        let mut said = Vec::new();
        while let Some(place) = walk.next(&forest) {
            let more = walk.more_follow(&forest).last().unwrap_or(false);
            said.push(format!(
                "{place}@{}{}",
                walk.depth(),
                if more { "+" } else { "" }
            ));
        }
        assert_eq!(walk.next(&forest), None);
        said.join(" ")
    }

    #[test]
    fn children_stand_under_their_parents_first_seen_first() {
        assert_eq!(walked(&[]), "");
        assert_eq!(
            walked(&[NONE, 0, NONE, 0, 1, 2]),
            "0@0 1@1+ 4@2 3@1 2@0 5@1"
        );
        assert_eq!(
            walked(&[2, 0, NONE]),
            "2@0 0@1 1@2",
            "a parent may come later"
        );
    }

    #[test]
    fn circles_are_cut_where_they_are_first_met() {
        assert_eq!(walked(&[0]), "0@0");
        assert_eq!(walked(&[1, 0]), "0@0 1@1");
        assert_eq!(walked(&[1, 2, 3, 1]), "1@0 0@1+ 3@1 2@2");
    }

    #[test]
    fn a_chain_of_a_hundred_thousand_needs_no_stack() {
        let parents: Vec<u32> = (0..100_000_u32)
            .map(|place| place.wrapping_sub(1))
            .collect();
        let forest = Forest::of_parents(&parents);
        let mut walk = Walk::default();
        for place in 0..100_000 {
            assert_eq!(walk.next(&forest), Some(place));
            assert_eq!(walk.depth(), place);
        }
        assert_eq!(walk.next(&forest), None);
    }
}
