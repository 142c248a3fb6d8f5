//! Reading a snapshot or partial view from a line, borrowing it.

use std::borrow::Cow;

use xxhash_rust::xxh3::xxh3_64;

use super::{Coverage, IdSet, Listed, SnapshotView};
use crate::event::read::{details, duplicate, integer, members_of, required, state, string, time};
use crate::event::{Extra, Fields, check_id, invalid};
use crate::finding::{Code, Problem};
use crate::json::{Kind, Raw};

impl<'a> SnapshotView<'a> {
    /// Reads one line, without its LF.
    ///
    /// # Errors
    ///
    /// As [`Fields::walk`] and [`SnapshotView::from_fields`].
    ///
    /// # Examples
    ///
    /// ```
    /// use lctools::snapshot::{Coverage, SnapshotView};
    /// let line = br#"{"source":"s","sourceEpoch":"x","snapshotId":"p1",
    ///     "observedAt":"2026-08-24T09:15:30Z","complete":true,"coverage":["a","b"],
    ///     "children":[{"childId":"a","state":"running","sequence":7}]}"#;
    /// let snapshot = SnapshotView::parse(line).unwrap();
    /// assert_eq!(snapshot.children[0].sequence, Some(7));
    /// assert!(snapshot.proves_absence("b") && !snapshot.proves_absence("c"));
    /// ```
    pub fn parse(line: &'a [u8]) -> Result<SnapshotView<'a>, Problem> {
        SnapshotView::from_fields(&Fields::walk(line)?)
    }

    /// Judges the members of a line.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong: a key that stands twice, the identity, `complete`, the
    /// children, the coverage.
    pub fn from_fields(fields: &Fields<'a>) -> Result<SnapshotView<'a>, Problem> {
        if fields.duplicate {
            return Err(duplicate("the snapshot"));
        }
        if fields.schema_version.is_some_and(|raw| raw.text() != "1") {
            let message = "`schemaVersion` is not 1";
            return Err(Problem::new(Code::SchemaVersion, message));
        }
        let source = id("source", fields.source)?;
        let source_epoch = id("sourceEpoch", fields.source_epoch)?;
        let snapshot_id = id("snapshotId", fields.snapshot_id)?;
        let (observed_at, as_written) =
            time("observedAt", required("observedAt", fields.observed_at)?)?;
        let complete = complete(fields.complete)?;
        let children = children(required("children", fields.children)?)?;
        let coverage = coverage(fields.coverage, complete, &children)?;
        Ok(SnapshotView {
            content: fields.extra.hash ^ xxh3_64(as_written.as_bytes()).rotate_left(7),
            source,
            source_epoch,
            snapshot_id,
            observed_at,
            complete,
            coverage,
            children,
        })
    }
}

fn id<'a>(field: &str, raw: Option<Raw<'a>>) -> Result<Cow<'a, str>, Problem> {
    let id = string(field, raw)?;
    check_id(field, &id)?;
    Ok(id)
}

fn complete(raw: Option<Raw<'_>>) -> Result<bool, Problem> {
    raw.and_then(Raw::as_bool).ok_or_else(|| {
        let message = "`complete` says neither true (a snapshot) nor false (a partial view)";
        Problem::new(Code::SnapshotNotComplete, message)
    })
}

fn children(raw: Raw<'_>) -> Result<Vec<Listed<'_>>, Problem> {
    if raw.kind() != Kind::Array {
        return Err(invalid("children", "is not an array"));
    }
    let children: Vec<_> = raw.elements().map(listed).collect::<Result<_, _>>()?;
    let ids: IdSet = children.iter().map(|child| &*child.child_id).collect();
    let twice = ids.sorted.windows(2).find(|two| two[0] == two[1]);
    let twice = twice.and_then(|two| {
        let mut children = children.iter();
        children.find(|child| xxh3_64(child.child_id.as_bytes()) == two[0])
    });
    match twice {
        Some(child) => {
            let wrong = format!("lists `{}` twice", child.child_id);
            Err(invalid("children", &wrong))
        }
        None => Ok(children),
    }
}

fn listed(raw: Raw<'_>) -> Result<Listed<'_>, Problem> {
    const NAMES: [&str; 4] = ["childId", "state", "sequence", "details"];
    let [child_id, child_state, sequence, more] =
        members_of("children[]", raw, NAMES, &mut Extra::default())?;
    more.map(details).transpose()?;
    Ok(Listed {
        child_id: id("childId", child_id)?,
        state: state(required("state", child_state)?)?,
        sequence: sequence.map(|raw| integer("sequence", raw)).transpose()?,
    })
}

fn coverage(
    raw: Option<Raw<'_>>,
    complete: bool,
    children: &[Listed<'_>],
) -> Result<Coverage, Problem> {
    let Some(raw) = raw else {
        if complete {
            return Err(uncovered("`coverage` is missing"));
        }
        return Ok(Coverage::Unstated);
    };
    match raw.kind() {
        Kind::String if raw.as_str().is_some_and(|word| word == "all") => Ok(Coverage::All),
        Kind::Array => {
            let ids = covered_ids(raw)?;
            match children.iter().find(|child| !ids.contains(&child.child_id)) {
                Some(child) => Err(uncovered(&format!(
                    "`coverage` leaves out `{}`, which is listed",
                    child.child_id
                ))),
                None => Ok(Coverage::Ids(ids)),
            }
        }
        _ => Err(uncovered("`coverage` is neither \"all\" nor a list of ids")),
    }
}

fn covered_ids(raw: Raw<'_>) -> Result<IdSet, Problem> {
    let mut sorted = Vec::new();
    for element in raw.elements() {
        let id = element
            .as_str()
            .ok_or_else(|| uncovered("`coverage` names something that is no string"))?;
        check_id("coverage", &id).map_err(|problem| uncovered(&problem.message))?;
        sorted.push(xxh3_64(id.as_bytes()));
    }
    if sorted.is_empty() {
        return Err(uncovered("`coverage` is an empty list"));
    }
    sorted.sort_unstable();
    Ok(IdSet { sorted })
}

fn uncovered(message: &str) -> Problem {
    Problem::new(Code::SnapshotCoverage, message.to_owned())
}
