//! `--expect`: whether the run ended as it should have.

use lctools::event::State;
use lctools::projection::Child;

/// How many children are named at most.
const NAMED: usize = 5;

/// Why the expectation is not met; `None` when every root child is in the state and there is one.
pub(crate) fn disappointment(children: &[Child], state: State) -> Option<String> {
    let roots = || children.iter().filter(|child| child.parent_id().is_none());
    if roots().next().is_none() {
        return Some(format!("expected {state}, but there is no root child"));
    }
    let others = || roots().filter(|child| child.state() != state);
    let count = others().count();
    if count == 0 {
        return None;
    }
    let mut named: Vec<_> = others()
        .take(NAMED)
        .map(|child| format!("{} is {}", child.id(), child.state()))
        .collect();
    if count > NAMED {
        named.push(format!("{} more are not", count - NAMED));
    }
    Some(format!("expected {state}, but {}", named.join(", ")))
}
