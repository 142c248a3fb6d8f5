//! Which moves from state to state the contract knows (SPEC section 5, rule 7). Tables only.

use crate::event::State;

/// Whether one step leads from one state to the other. The same state is no move but a refresh,
/// and nothing leads out of a terminal state.
///
/// # Examples
///
/// ```
/// use lctools::event::State;
/// use lctools::projection::{is_legal, is_reachable};
/// assert!(is_legal(State::Starting, State::Waiting));
/// assert!(!is_legal(State::Starting, State::Completed));
/// assert!(is_reachable(State::Starting, State::Completed), "by way of running");
/// assert!(!is_reachable(State::Running, State::Starting));
/// ```
#[must_use]
pub fn is_legal(from: State, to: State) -> bool {
    use State::{Cancelled, Completed, Created, Failed, Lost, Running, Starting, Waiting};
    match from {
        Created => matches!(to, Starting | Cancelled | Failed | Lost),
        Starting => matches!(to, Running | Waiting | Cancelled | Failed | Lost),
        Running => matches!(to, Waiting | Completed | Failed | Cancelled | Lost),
        Waiting => matches!(to, Running | Completed | Failed | Cancelled | Lost),
        Completed | Failed | Cancelled | Lost => false,
    }
}

/// Whether some row of legal moves leads from one state to the other: such a move is believable
/// when moves may have gone unobserved.
#[must_use]
pub fn is_reachable(from: State, to: State) -> bool {
    match from {
        State::Created => to != State::Created,
        State::Starting => !matches!(to, State::Created | State::Starting),
        // From here on every move is a single one.
        _ => is_legal(from, to),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_the_one_of_the_contract() {
        let legal: Vec<String> = State::ALL
            .iter()
            .flat_map(|from| State::ALL.iter().map(move |to| (*from, *to)))
            .filter(|(from, to)| is_legal(*from, *to))
            .map(|(from, to)| format!("{from}>{to}"))
            .collect();
        assert_eq!(
            legal.join(" "),
            "created>starting created>failed created>cancelled created>lost \
             starting>running starting>waiting starting>failed starting>cancelled starting>lost \
             running>waiting running>completed running>failed running>cancelled running>lost \
             waiting>running waiting>completed waiting>failed waiting>cancelled waiting>lost"
        );
    }

    #[test]
    fn reachable_is_what_the_legal_moves_add_up_to() {
        for from in State::ALL {
            let mut reached: Vec<State> = Vec::new();
            let mut edge = vec![*from];
            while let Some(at) = edge.pop() {
                let next = State::ALL.iter().filter(|to| is_legal(at, **to));
                for to in next {
                    if !reached.contains(to) {
                        reached.push(*to);
                        edge.push(*to);
                    }
                }
            }
            for to in State::ALL.iter().filter(|to| *to != from) {
                assert_eq!(
                    is_reachable(*from, *to),
                    reached.contains(to),
                    "{from}>{to}"
                );
            }
        }
    }
}
