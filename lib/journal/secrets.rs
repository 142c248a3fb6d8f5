//! Which parts of an event are redacted before it is stored (SPEC section 8): `details`,
//! `activity` and fields outside the contract. Every other byte is kept. What a secret is, is
//! [`crate::redact`]'s to say.

use std::borrow::Cow;

use crate::event::EventView;
use crate::json::{self, Dialect, Member, Object, push_str};
use crate::redact::{is_secret_key, redact_json, redact_text};

/// Whether a second look is worth its time; it is for few events.
pub(super) fn may_hold_secrets(event: &EventView<'_>) -> bool {
    let changed = |text: Cow<'_, str>| matches!(text, Cow::Owned(_));
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
    let mut redacted = String::new();
    let mut copied = 0;
    let mut object = Object::open(text, Dialect::Strict).ok()?;
    while let Ok(Some(member)) = object.member() {
        let Some(value) = redacted_value(&member) else {
            continue;
        };
        let end = member.offset + member.text.len();
        let begin = end - member.value.text().len();
        redacted.push_str(text.get(copied..begin)?);
        redacted.push_str(&value);
        copied = end;
    }
    if copied == 0 {
        return None;
    }
    redacted.push_str(text.get(copied..)?);
    Some(redacted)
}

/// A member's value without its secrets, if it has any and is one that is covered.
fn redacted_value(member: &Member<'_>) -> Option<String> {
    let owned = |text: Cow<'_, str>| match text {
        Cow::Owned(text) => Some(text),
        Cow::Borrowed(_) => None,
    };
    let value = member.value;
    match &*member.key {
        "schemaVersion" | "eventId" | "source" | "sourceEpoch" | "childId" | "lineage" | "kind"
        | "state" | "observedAt" | "sequence" | "capabilities" | "journalSequence" => None,
        "details" => owned(redact_json(value.text())),
        "activity" => {
            let plain = owned(redact_text(&value.as_str()?))?;
            let mut quoted = Vec::new();
            push_str(&mut quoted, &plain);
            String::from_utf8(quoted).ok()
        }
        key if is_secret_key(key) && is_covered(value.kind()) => Some("\"[REDACTED]\"".to_owned()),
        _ => owned(redact_json(value.text())),
    }
}

fn is_covered(kind: json::Kind) -> bool {
    matches!(
        kind,
        json::Kind::String | json::Kind::Array | json::Kind::Object
    )
}
