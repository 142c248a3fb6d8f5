//! Names: ids of the stream made fit for keys, and the child ids of sub-agents.
//!
//! Ids in the stream come from elsewhere and may be anything: empty, megabytes long, full of
//! control characters. As keys they are kept short ([`key`]); into a child id goes only what is
//! harmless (`child_id`).

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write as _;

use lctools::event::MAX_ID_BYTES;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// The longest id that is kept as it is, in bytes.
const KEY: usize = 256;

/// The longest NAME in a child id.
const NAME: usize = 64;

/// The shortest SUFFIX taken from an instance id, and by how much it grows on collision.
const DIGITS: usize = 8;
const MORE_DIGITS: usize = 4;

/// The most digits that are taken.
const MAX_DIGITS: usize = 32;

/// How many hex digits tell the epochs of a resumed run apart.
const EPOCH_DIGITS: usize = 8;

/// Room for `/NAME.SUFFIX`.
const AFTER_RUN: usize = 1 + NAME + 1 + MAX_DIGITS + 1 + EPOCH_DIGITS + 1 + 20;

/// An id as it is kept and compared: a long one by its beginning and a hash.
pub(crate) fn key(id: Cow<'_, str>) -> Cow<'_, str> {
    if id.len() <= KEY {
        return id;
    }
    let head: String = id.chars().take(32).collect();
    Cow::Owned(format!("{head}#{:032x}", xxh3_128(id.as_bytes())))
}

/// The ids that an instance id extends by `:`, the nearest first.
pub(crate) fn ancestors(instance: &str) -> impl Iterator<Item = &str> {
    // Real ids have a handful of parts.
    instance
        .rmatch_indices(':')
        .take(16)
        .map(|(at, _)| instance.split_at(at).0)
}

/// A given id cut so that more can follow it; what is lost is kept as a hash.
pub(crate) fn shortened(id: &str, max: usize) -> Cow<'_, str> {
    if id.len() <= max {
        return Cow::Borrowed(id);
    }
    let mut head = String::new();
    for character in id.chars() {
        if head.len() + character.len_utf8() > max.saturating_sub(17) {
            break;
        }
        head.push(character);
    }
    let _ = write!(head, "~{:016x}", xxh3_64(id.as_bytes()));
    Cow::Owned(head)
}

/// The child id of a run that was given none: `run-EPOCH`.
pub(crate) fn of_run(epoch: &str) -> String {
    shortened(&format!("run-{epoch}"), MAX_ID_BYTES).into_owned()
}

/// Gives every sub-agent of a run a child id of its own.
#[derive(Debug)]
pub(crate) struct ChildIds {
    run: String,
    /// What stands before a running number: of a resumed run a hash of its epoch, because the
    /// numbers begin anew in every turn and the child ids of a run do not.
    turn: String,
    /// Hashes of the ids given away: eight bytes for each child of the run.
    taken: HashSet<u64>,
    number: u64,
}

impl ChildIds {
    /// For the sub-agents of a run; of a turn of it, if that was resumed in an epoch.
    pub(crate) fn new(run: &str, resumed_in: Option<&str>) -> ChildIds {
        let turn = resumed_in.map(|epoch| {
            let mut turn = format!("{:016x}", xxh3_64(epoch.as_bytes()));
            turn.truncate(EPOCH_DIGITS);
            turn + "-"
        });
        ChildIds {
            run: shortened(run, MAX_ID_BYTES - AFTER_RUN).into_owned(),
            turn: turn.unwrap_or_default(),
            taken: HashSet::new(),
            number: 0,
        }
    }

    /// `RUN/NAME.SUFFIX`, never one that was given before.
    pub(crate) fn next(&mut self, name: &str, instance: Option<&str>) -> String {
        let stem = format!("{}/{}", self.run, harmless(name));
        let digits = instance.map(hex_digits).unwrap_or_default();
        let lengths = (DIGITS..digits.len())
            .step_by(MORE_DIGITS)
            .chain([digits.len()]);
        for length in lengths.filter(|length| *length > 0) {
            let suffix: String = digits.chars().take(length).collect();
            if let Some(id) = self.take(format!("{stem}.{suffix}")) {
                return id;
            }
        }
        loop {
            self.number += 1;
            let (turn, number) = (&self.turn, self.number);
            let id = match digits.is_empty() {
                true => format!("{stem}.{turn}{number}"),
                false => format!("{stem}.{digits}.{turn}{number}"),
            };
            if let Some(id) = self.take(id) {
                return id;
            }
        }
    }

    fn take(&mut self, id: String) -> Option<String> {
        self.taken.insert(xxh3_64(id.as_bytes())).then_some(id)
    }
}

/// A name of which nothing can be mistaken for something else.
fn harmless(name: &str) -> String {
    let harmless: String = name
        .chars()
        .take(NAME)
        .map(|character| match character {
            'A'..='Z' | 'a'..='z' | '0'..='9' | '.' | '_' | '-' => character,
            _ => '_',
        })
        .collect();
    match harmless.is_empty() {
        true => "agent".to_owned(),
        false => harmless,
    }
}

/// The hex digits after the last `:` or `_`, hyphens between them left out.
fn hex_digits(instance: &str) -> String {
    let last = instance.rsplit([':', '_']).next().unwrap_or("");
    last.chars()
        .filter(|character| *character != '-')
        .take_while(char::is_ascii_hexdigit)
        .take(MAX_DIGITS)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lctools::event::check_id;

    #[test]
    fn child_ids_are_short_until_they_collide() {
        let mut ids = ChildIds::new("run", None);
        let instance = Some("tools:1c801442-e50b-6734-5ece-2fd2a76dedcd");
        assert_eq!(
            ids.next("research-agent", instance),
            "run/research-agent.1c801442"
        );
        assert_eq!(ids.next("code-agent", instance), "run/code-agent.1c801442");
        assert_eq!(
            ids.next("research-agent", instance),
            "run/research-agent.1c801442e50b"
        );
        assert_eq!(
            ids.next("research-agent", instance),
            "run/research-agent.1c801442e50b6734"
        );
        for _ in 0..4 {
            ids.next("research-agent", instance);
        }
        assert_eq!(
            ids.next("research-agent", instance),
            "run/research-agent.1c801442e50b67345ece2fd2a76dedcd.1"
        );
        let panel = Some("ptc_task_2c628c72f8fe1d9b596916e9bcdfe9c2");
        assert_eq!(
            ids.next("research-agent", panel),
            "run/research-agent.2c628c72"
        );
    }

    #[test]
    fn without_digits_there_is_a_number() {
        let mut ids = ChildIds::new("run", None);
        assert_eq!(ids.next("a b/ü", None), "run/a_b__.1");
        assert_eq!(ids.next("", Some("tools:worker")), "run/agent.2");
        assert_eq!(ids.next("x", Some("tools:12")), "run/x.12");
        assert_eq!(ids.next("x", Some("tools:12")), "run/x.12.3");
    }

    #[test]
    fn the_numbers_of_two_turns_differ_and_those_of_one_are_stable() {
        let ids = |epoch| {
            let mut ids = ChildIds::new("r1", epoch);
            [
                None,
                Some("tools:worker"),
                Some("tools:12"),
                Some("tools:12"),
            ]
            .map(|instance| ids.next("r", instance))
        };
        let (first, second) = (ids(Some("turn-1")), ids(Some("turn-2")));
        assert_eq!(first, ids(Some("turn-1")));
        assert_eq!(first[2], second[2], "an instance is what it is in any turn");
        for at in [0, 1, 3] {
            assert_ne!(first[at], second[at]);
            assert!(
                first[at].ends_with(&format!("-{}", at.min(2) + 1)),
                "{first:?}"
            );
        }
        assert_eq!(ids(None)[0], "r1/r.1");
    }

    #[test]
    fn the_longest_names_make_a_valid_id() {
        let mut ids = ChildIds::new(&"é".repeat(256), Some("e"));
        let instance = format!("tools:{}", "a".repeat(1_000));
        for _ in 0..20 {
            let id = ids.next(&"n".repeat(1_000), Some(&instance));
            assert!(check_id("childId", &id).is_ok(), "{id}");
        }
        assert!(key("é".repeat(1_000).into()).len() <= KEY);
        assert_ne!(key("a".repeat(1_000).into()), key("a".repeat(1_001).into()));
    }

    #[test]
    fn every_valid_epoch_makes_a_valid_child_id_of_its_own() {
        assert_eq!(of_run("e"), "run-e");
        for letter in ["a", "é", "☃", "🜁"] {
            let mut seen = HashSet::new();
            for count in 1..=MAX_ID_BYTES / letter.len() {
                let epoch = letter.repeat(count);
                assert!(check_id("sourceEpoch", &epoch).is_ok());
                let id = of_run(&epoch);
                assert!(check_id("childId", &id).is_ok(), "{id}");
                assert!(seen.insert(id), "{epoch}");
            }
        }
    }

    #[test]
    fn an_instance_descends_from_what_it_extends() {
        let found: Vec<_> = ancestors("tools:a:tools:b").collect();
        assert_eq!(found, ["tools:a:tools", "tools:a", "tools"]);
        assert_eq!(ancestors("tools").count(), 0);
    }
}
