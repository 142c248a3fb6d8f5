//! Progress records, as lcproject writes them: by themselves, or in the lines of its updates.

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::num::NonZeroUsize;
use std::path::Path;

use lctools::exit::Failure;
use lctools::finding::{Code, Place, Problem};
use lctools::json::{Kind, Raw};
use lctools::line::{Line, Lines};
use lctools::projection::Projection;
use lctools::pump::Context;
use lctools::record::Record;

/// Takes the child of a line into the projection, if it tells of one.
///
/// # Errors
///
/// What is wrong with the line; `unknown_record` for events and snapshots, which are records but
/// not these.
pub(crate) fn take(line: &[u8], projection: &mut Projection) -> Result<(), Problem> {
    let fields = match Record::parse(line)? {
        Record::Own(fields) => fields,
        Record::Event(_) | Record::Snapshot(_) => {
            let message = "neither a progress record nor an update; lcproject makes them";
            return Err(Problem::new(Code::UnknownRecord, message));
        }
    };
    let own_type = fields.own_type.and_then(|raw| raw.as_str());
    let line = Raw::parse(fields.text)?;
    let record = match own_type.as_deref() {
        Some("progress") => Some(line),
        Some("update") => line.get("record").filter(|raw| raw.kind() != Kind::Null),
        _ => None,
    };
    match record {
        Some(record) => projection.restore(record).map(|_| ()),
        None => Ok(()),
    }
}

/// Takes a file of records into the projection.
///
/// # Errors
///
/// When the file cannot be read; what is wrong with its lines is reported.
pub(crate) fn load(
    path: &Path,
    cap: NonZeroUsize,
    projection: &mut Projection,
    cx: &mut Context<'_>,
) -> Result<(), Failure> {
    let name = path.to_string_lossy();
    let failure = |error| Failure::io(name.clone().into_owned(), error);
    let mut file = File::open(path).map_err(failure)?;
    let mut lines = Lines::new(cap);
    loop {
        while let Some(line) = lines.next_line() {
            one(&line, &name, projection, cx);
        }
        let count = match file.read(lines.space()) {
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(failure(error)),
        };
        if count == 0 {
            break;
        }
        lines.filled(count);
    }
    if let Some(line) = lines.last_line() {
        one(&line, &name, projection, cx);
    }
    Ok(())
}

fn one(line: &Line<'_>, file: &str, projection: &mut Projection, cx: &mut Context<'_>) {
    if line.is_blank() {
        return;
    }
    let result = match line.frame.oversized {
        None => take(line.bytes, projection),
        Some(length) => Err(Problem::new(
            Code::OversizedLine,
            format!("a line of {length} bytes was skipped; --max-line-bytes sets the cap"),
        )),
    };
    if let Err(problem) = result {
        let place = Place {
            file,
            line: line.number,
        };
        cx.findings
            .report(place, problem.code, &problem.message, line.bytes);
    }
}
