//! The line that `--updates` writes for each record of the input.

use std::io::Write as _;

use lctools::json::push_str;
use lctools::line::Line;
use lctools::projection::{Child, Outcome, write_progress};
use lctools::pump::Context;

/// Writes what became of a line; `child` is the child it is about, as it is now.
pub(crate) fn write(
    outcome: &Outcome,
    child: Option<&Child>,
    line: &Line<'_>,
    name_file: bool,
    cx: &mut Context<'_>,
) {
    cx.out.extend_from_slice(b"{\"type\":\"update\"");
    if name_file {
        cx.out.extend_from_slice(b",\"file\":");
        push_str(cx.out, cx.file);
    }
    cx.out.extend_from_slice(b",\"line\":");
    // Writing into memory cannot fail.
    let _ = write!(cx.out, "{}", line.number);
    cx.out.extend_from_slice(b",\"status\":\"");
    cx.out.extend_from_slice(outcome.status.as_str().as_bytes());
    if let Some(code) = outcome.code {
        cx.out.extend_from_slice(b"\",\"code\":\"");
        cx.out.extend_from_slice(code.as_str().as_bytes());
    }
    cx.out.extend_from_slice(b"\",\"record\":");
    match child {
        Some(child) => write_progress(child, cx.out),
        None => cx.out.extend_from_slice(b"null"),
    }
    cx.out.extend_from_slice(b"}\n");
}
