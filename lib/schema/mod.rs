//! JSON Schemas (draft 2020-12) of every record the toolkit reads or writes, as files beside this
//! one and embedded in the library; each stands alone.
//!
//! They say what the programs' own validation says as far as JSON Schema can; what it cannot say
//! stands in their comments. Records of the contract are open, as SPEC section 3 has it; those of
//! the toolkit's own are closed and told as they are written. Nothing here validates: the readers
//! do, and the tests hold the schemas against them.

macro_rules! schemas {
    ($($name:literal,)*) => {
        const SCHEMAS: &[(&str, &str)] =
            &[$(($name, include_str!(concat!($name, ".json"))),)*];
    };
}

schemas! {
    "event",
    "journal-entry",
    "snapshot",
    "partial-view",
    "progress",
    "update",
    "audit",
    "intent",
    "synthesized",
    "diagnostic",
    "diff",
    "finding",
    "findings",
    "note",
    "error",
    "check",
    "verify",
    "repair",
    "lock",
}

/// The names of the schemas: what is read first, then what is written.
pub fn names() -> impl Iterator<Item = &'static str> {
    SCHEMAS.iter().map(|(name, _)| *name)
}

/// The schema of that name, LF at its end included.
///
/// # Examples
///
/// ```
/// let schema = lctools::schema::get("event").unwrap();
/// assert!(schema.contains("https://json-schema.org/draft/2020-12/schema"));
/// assert_eq!(lctools::schema::get("weather"), None);
/// ```
#[must_use]
pub fn get(name: &str) -> Option<&'static str> {
    let mut schemas = SCHEMAS.iter();
    schemas
        .find(|(known, _)| *known == name)
        .map(|(_, text)| *text)
}
