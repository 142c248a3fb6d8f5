//! Which parts of an event are redacted before it is stored (SPEC section 8): `details`,
//! `activity` and fields outside the contract. Every other byte is kept. What a secret is, is
//! [`crate::redact`]'s to say.

use std::borrow::Cow;

use crate::event::{Capabilities, EventView, Lineage};
use crate::json::{Dialect, Member, Object, push_str};
use crate::redact::{redact_json, redact_text};

/// Whether a second look is worth its time; it is for few events.
pub(super) fn may_hold_secrets(event: &EventView<'_>) -> bool {
    let changed = |text| owned(text).is_some();
    event.has_fields_outside_contract()
        || event
            .details
            .as_deref()
            .is_some_and(|details| changed(redact_json(details)))
        || event
            .activity
            .as_deref()
            .is_some_and(|activity| changed(redact_text(activity)))
}

/// The line without its secrets; `None` if it has none. Every other byte is kept.
pub(super) fn redacted_line(text: &str) -> Option<String> {
    redacted_object(text, |member, names| match &*member.key {
        "schemaVersion" | "eventId" | "source" | "sourceEpoch" | "childId" | "kind" | "state"
        | "observedAt" | "sequence" | "journalSequence" => None,
        "lineage" => of_the_contract(member, |name| Lineage::MEMBERS.contains(&name)),
        "capabilities" => of_the_contract(member, |name| {
            let mut members = Capabilities::UNKNOWN.members().into_iter();
            members.any(|(known, _)| known == name)
        }),
        "details" => Some(key_of(member)? + &owned(redact_json(member.value.text()))?),
        "activity" => {
            let plain = owned(redact_text(&member.value.as_str()?))?;
            Some(key_of(member)? + &quoted(&plain))
        }
        _ => outside_the_contract(member, names),
    })
}

/// An object of the contract's own, of which only the members that it does not know are covered.
fn of_the_contract(member: &Member<'_>, known: fn(&str) -> bool) -> Option<String> {
    let object = redacted_object(member.value.text(), |inner, names| {
        if known(&inner.key) {
            None
        } else {
            outside_the_contract(inner, names)
        }
    })?;
    Some(key_of(member)? + &object)
}

/// A member without its secrets, its name too, if it has any.
fn outside_the_contract(member: &Member<'_>, names: &mut Names<'_>) -> Option<String> {
    let object = owned(redact_json(&format!("{{{}}}", member.text)))?;
    let anew = Object::open(&object, Dialect::Strict)
        .ok()?
        .member()
        .ok()??;
    if anew.key == member.key {
        return Some(anew.text.to_owned());
    }
    Some(quoted(&names.free(&anew.key)) + ":" + anew.value.text())
}

/// An object with some members written anew; `None` if all stay.
fn redacted_object(
    text: &str,
    member_without_secrets: impl Fn(&Member<'_>, &mut Names<'_>) -> Option<String>,
) -> Option<String> {
    let mut redacted = String::new();
    let mut copied = 0;
    let mut names = Names { text, given: 0 };
    let mut object = Object::open(text, Dialect::Strict).ok()?;
    while let Ok(Some(member)) = object.member() {
        if let Some(anew) = member_without_secrets(&member, &mut names) {
            redacted.push_str(text.get(copied..member.offset)?);
            redacted.push_str(&anew);
            copied = member.offset + member.text.len();
        }
    }
    if copied == 0 {
        return None;
    }
    redacted.push_str(text.get(copied..)?);
    Some(redacted)
}

/// Names for members whose own name was a secret. No name may stand twice in an event, so each
/// gets one that its object does not have.
struct Names<'a> {
    text: &'a str,
    given: usize,
}

impl Names<'_> {
    fn free(&mut self, name: &str) -> String {
        loop {
            self.given += 1;
            let name = match self.given {
                1 => name.to_owned(),
                number => format!("{name} {number}"),
            };
            if !self.text.contains(&name) {
                return name;
            }
        }
    }
}

/// Key and colon, as they were read.
fn key_of(member: &Member<'_>) -> Option<String> {
    member
        .text
        .strip_suffix(member.value.text())
        .map(str::to_owned)
}

fn quoted(text: &str) -> String {
    let mut quoted = Vec::new();
    push_str(&mut quoted, text);
    String::from_utf8_lossy(&quoted).into_owned()
}

fn owned(text: Cow<'_, str>) -> Option<String> {
    match text {
        Cow::Owned(text) => Some(text),
        Cow::Borrowed(_) => None,
    }
}
