//! Reading single fields: the right JSON type or a finding that names the field.

use std::borrow::Cow;

use super::fields::{Extra, KeySet};
use super::rules::invalid;
use super::{Capabilities, Capability, Lineage, State};
use crate::finding::{Code, Problem};
use crate::json::{self, Raw};
use crate::time::{TimeError, UtcTime};

pub(crate) fn duplicate(what: &str) -> Problem {
    Problem::new(
        Code::DuplicateKey,
        format!("a key stands twice in {what}; two readers would disagree about it"),
    )
}

pub(crate) fn required<'a>(field: &str, raw: Option<Raw<'a>>) -> Result<Raw<'a>, Problem> {
    raw.ok_or_else(|| Problem::new(Code::MissingField, format!("`{field}` is missing")))
}

pub(crate) fn string<'a>(field: &str, raw: Option<Raw<'a>>) -> Result<Cow<'a, str>, Problem> {
    required(field, raw)?
        .as_str()
        .ok_or_else(|| invalid(field, "is not a string"))
}

pub(crate) fn optional_string<'a>(
    field: &str,
    raw: Option<Raw<'a>>,
) -> Result<Option<Cow<'a, str>>, Problem> {
    raw.map(|raw| string(field, Some(raw))).transpose()
}

pub(crate) fn integer(field: &str, raw: Raw<'_>) -> Result<u64, Problem> {
    raw.as_u53()
        .ok_or_else(|| invalid(field, "is not an integer from 0 to 2^53 - 1, digits only"))
}

pub(crate) fn state(raw: Raw<'_>) -> Result<State, Problem> {
    let word = string("state", Some(raw))?;
    State::from_word(&word).ok_or_else(|| invalid("state", "is no state"))
}

pub(crate) fn details(raw: Raw<'_>) -> Result<&str, Problem> {
    match raw.kind() {
        json::Kind::Object => Ok(raw.text()),
        _ => Err(invalid("details", "is not an object")),
    }
}

pub(crate) fn time<'a>(field: &str, raw: Raw<'a>) -> Result<(UtcTime, Cow<'a, str>), Problem> {
    let text = string(field, Some(raw))?;
    match UtcTime::parse(&text) {
        Ok(time) => Ok((time, text)),
        Err(TimeError::NotUtc) => Err(Problem::new(
            Code::TimestampNotUtc,
            format!("`{field}` is not in UTC; write it with `Z`"),
        )),
        Err(TimeError::Invalid) => Err(Problem::new(
            Code::TimestampInvalid,
            format!("`{field}` is no RFC 3339 time such as 2026-08-24T09:15:30.000Z"),
        )),
    }
}

pub(crate) type LineageAsWritten<'a> = (Lineage<'a>, Option<Cow<'a, str>>);

pub(crate) fn lineage<'a>(
    raw: Raw<'a>,
    extra: &mut Extra,
) -> Result<LineageAsWritten<'a>, Problem> {
    let [root, attempt, external, parent, adopted] =
        members_of("lineage", raw, Lineage::MEMBERS, extra)?;
    let root_child_id = string("lineage.rootChildId", root)?;
    let attempt = integer("lineage.attempt", required("lineage.attempt", attempt)?)?;
    let external = required("lineage.external", external)?
        .as_bool()
        .ok_or_else(|| invalid("lineage.external", "is not true or false"))?;
    let parent_child_id = optional_string("lineage.parentChildId", parent)?;
    let (adopted_at, adopted_at_text) = adopted
        .map(|raw| time("lineage.adoptedAt", raw))
        .transpose()?
        .unzip();
    let lineage = Lineage {
        root_child_id,
        attempt,
        external,
        parent_child_id,
        adopted_at,
    };
    Ok((lineage, adopted_at_text))
}

pub(crate) fn capabilities(raw: Raw<'_>, extra: &mut Extra) -> Result<Capabilities, Problem> {
    let mut capabilities = Capabilities::UNKNOWN;
    let names = capabilities.members().map(|(name, _)| name);
    let values = members_of("capabilities", raw, names, extra)?;
    for (name, value) in names.into_iter().zip(values) {
        let (Some(value), Some(slot)) = (value, capabilities.member_mut(name)) else {
            continue;
        };
        *slot = value
            .as_str()
            .and_then(|word| Capability::from_word(&word))
            .ok_or_else(|| invalid("capabilities", "says something else than known or unknown"))?;
    }
    Ok(capabilities)
}

/// The members of an object by the names that matter, any others allowed but none twice; those
/// are added to `extra`.
pub(crate) fn members_of<'a, const N: usize>(
    field: &str,
    raw: Raw<'a>,
    names: [&str; N],
    extra: &mut Extra,
) -> Result<[Option<Raw<'a>>; N], Problem> {
    if raw.kind() != json::Kind::Object {
        return Err(invalid(field, "is not an object"));
    }
    let mut values = [None; N];
    let mut others = KeySet::default();
    for member in raw.members() {
        let fresh = match names.iter().position(|name| *name == member.key) {
            Some(index) => values[index].replace(member.value).is_none(),
            None => {
                extra.add(field, &member);
                others.insert(&member.key)
            }
        };
        if !fresh {
            return Err(duplicate(&format!("`{field}`")));
        }
    }
    Ok(values)
}
