//! `--check`: what is in a stream, counted; one line for each FILE.

use std::collections::BTreeMap;

use lctools::event::State;
use lctools::finding::{Code, Findings};
use lctools::json::push_str;
use lctools::redact;

use crate::details::Details;
use crate::native::{Kind, Native};
use crate::run::End;

/// How many names are counted each on its own; what comes after them is `other`.
const NAMES: usize = 64;

/// The longest name, in characters.
const NAME: usize = 64;

/// What was counted in one stream.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    types: BTreeMap<String, u64>,
    unknown_types: BTreeMap<String, u64>,
    /// Findings of each code before this stream.
    before: Vec<u64>,
}

impl Tally {
    /// A stream begins.
    pub(crate) fn new(findings: &Findings) -> Tally {
        Tally {
            before: Code::all().map(|code| findings.seen(code)).collect(),
            ..Tally::default()
        }
    }

    /// Counts one native line by its type, if that may be shown, else by what it is known as.
    pub(crate) fn count(&mut self, line: &Native<'_>, show: bool) {
        let type_name = match show {
            true => &line.type_name,
            false => line.known_type(),
        };
        let names = match line.kind {
            Kind::Unknown => &mut self.unknown_types,
            _ => &mut self.types,
        };
        if let Some(count) = names.get_mut(type_name) {
            *count += 1;
            return;
        }
        let name = match names.len() < NAMES {
            true => redact::excerpt(type_name, NAME),
            false => "other".to_owned(),
        };
        *names.entry(name).or_default() += 1;
    }

    /// Writes the line; true if nothing was wrong.
    pub(crate) fn write(
        &self,
        file: &str,
        lines: u64,
        findings: &Findings,
        end: Option<End>,
        states: &BTreeMap<State, u64>,
        out: &mut Vec<u8>,
    ) -> bool {
        let seen: Vec<(Code, u64)> = Code::all()
            .zip(&self.before)
            .map(|(code, before)| (code, findings.seen(code) - before))
            .filter(|(_, count)| *count > 0)
            .collect();
        let end = match end {
            Some(End::Done) => "done",
            Some(End::Interrupt) => "interrupt",
            Some(End::Error) => "error",
            Some(End::Exit) | None => "eof",
        };
        let counted = seen.iter().any(|(code, _)| findings.counts(*code));
        let ok = end != "eof" && !counted;
        let line = Details::new()
            .text("type", Some("check"))
            .text("file", Some(file))
            .flag("ok", Some(ok))
            .number("lines", Some(lines))
            .raw("types", &counts(self.types.iter()))
            .raw("unknownTypes", &counts(self.unknown_types.iter()))
            .raw(
                "findings",
                &counts(seen.iter().map(|(code, count)| (code.as_str(), count))),
            )
            .text("end", Some(end))
            .raw(
                "children",
                &counts(states.iter().map(|(state, count)| (state.as_str(), count))),
            );
        out.extend_from_slice(line.finish().unwrap_or_default().as_bytes());
        out.push(b'\n');
        ok
    }
}

/// An object of counts, an empty one too.
fn counts<'c>(counts: impl Iterator<Item = (impl AsRef<str>, &'c u64)>) -> Vec<u8> {
    let mut text = vec![b'{'];
    for (index, (name, count)) in counts.enumerate() {
        if index > 0 {
            text.push(b',');
        }
        push_str(&mut text, name.as_ref());
        text.push(b':');
        text.extend_from_slice(count.to_string().as_bytes());
    }
    text.push(b'}');
    text
}
