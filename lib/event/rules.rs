//! The rules of SPEC section 3 that do not depend on how an event was written down.

use super::{Event, Kind, Lineage, MAX_SEQUENCE, State};
use crate::finding::{Code, Problem};
use crate::json;

/// The longest id or source, in bytes.
pub const MAX_ID_BYTES: usize = 512;

/// Checks an id or source: 1 to 512 bytes, no control characters, no white space at either end.
///
/// # Errors
///
/// [`Code::InvalidField`], naming the field.
///
/// # Examples
///
/// ```
/// use lctools::event::check_id;
/// assert!(check_id("childId", "run-1/agent é").is_ok());
/// assert!(check_id("childId", " run-1").is_err());
/// ```
pub fn check_id(field: &str, id: &str) -> Result<(), Problem> {
    // Nearly all ids are plain ASCII without spaces: one look decides.
    if id.len() <= MAX_ID_BYTES && !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_graphic())
    {
        return Ok(());
    }
    let wrong = if id.is_empty() {
        "is empty"
    } else if id.len() > MAX_ID_BYTES {
        "is longer than 512 bytes"
    } else if id.chars().any(char::is_control) {
        "holds a control character"
    } else if id.trim() != id {
        "has white space at an end"
    } else {
        return Ok(());
    };
    Err(invalid(field, wrong))
}

pub(crate) fn invalid(field: &str, wrong: &str) -> Problem {
    Problem::new(Code::InvalidField, format!("`{field}` {wrong}"))
}

impl Event<'_> {
    /// Whether this is an event of the contract. Reading a line applies the same rules.
    ///
    /// # Errors
    ///
    /// The first rule that is broken, in the order of the fields.
    pub fn validate(&self) -> Result<(), Problem> {
        self.check_fields()?;
        match &self.details {
            Some(details) => check_details(details),
            None => Ok(()),
        }
    }

    /// The rules but for the one about `details`, which reading has proved already.
    pub(super) fn check_fields(&self) -> Result<(), Problem> {
        check_id("eventId", &self.event_id)?;
        check_id("source", &self.source)?;
        check_id("sourceEpoch", &self.source_epoch)?;
        check_id("childId", &self.child_id)?;
        self.lineage.check()?;
        check_state(self.kind, self.state)?;
        if self
            .sequence
            .is_some_and(|sequence| sequence > MAX_SEQUENCE)
        {
            return Err(invalid("sequence", "is over 2^53 - 1"));
        }
        if self.activity.as_deref() == Some("") {
            return Err(invalid("activity", "is empty; leave it out instead"));
        }
        Ok(())
    }
}

impl Lineage<'_> {
    fn check(&self) -> Result<(), Problem> {
        check_id("lineage.rootChildId", &self.root_child_id)?;
        if self.attempt > MAX_SEQUENCE {
            return Err(invalid("lineage.attempt", "is over 2^53 - 1"));
        }
        match &self.parent_child_id {
            Some(parent) => check_id("lineage.parentChildId", parent),
            None => Ok(()),
        }
    }
}

fn check_details(details: &str) -> Result<(), Problem> {
    match json::Raw::parse(details) {
        Ok(raw) if raw.kind() == json::Kind::Object => Ok(()),
        Ok(_) => Err(invalid("details", "is not an object")),
        Err(error) => Err(Problem::from(error)),
    }
}

fn check_state(kind: Kind, state: Option<State>) -> Result<(), Problem> {
    let problem = |code, what: &str| Err(Problem::new(code, format!("`{kind}` {what}")));
    match (kind, state) {
        (Kind::Created | Kind::StateChanged | Kind::Terminal, None) => {
            problem(Code::StateRequired, "must carry a `state`")
        }
        (Kind::Activity | Kind::Heartbeat, Some(_)) => {
            problem(Code::StateForbidden, "must not carry a `state`")
        }
        (Kind::Created, Some(state)) if state != State::Created => {
            problem(Code::StateMismatch, "must carry the state `created`")
        }
        (Kind::Terminal, Some(state)) if !state.is_terminal() => problem(
            Code::StateMismatch,
            "must carry one of the states completed, failed, cancelled, lost",
        ),
        _ => Ok(()),
    }
}
