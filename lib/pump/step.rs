//! The step's side of the pump: what a program implements, and what it is given.

use std::time::Duration;

use super::pour::Pause;
use super::signal::Signals;
use crate::exit::{Exit, Failure};
use crate::finding::{Class, Code, Findings, Place, Problem};
use crate::line::Line;
use crate::time::UtcTime;

/// What a program does with its lines.
pub trait Step {
    /// A stream begins.
    ///
    /// # Errors
    ///
    /// A failure ends the program; so for all of these.
    fn open(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let _ = cx;
        Ok(())
    }

    /// One line, neither blank nor oversized. The last one may lack its LF.
    #[allow(clippy::missing_errors_doc)]
    fn line(&mut self, line: Line<'_>, cx: &mut Context<'_>) -> Result<(), Failure>;

    /// The gathered output is about to be released: make sure that it is true.
    #[allow(clippy::missing_errors_doc)]
    fn settle(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let _ = cx;
        Ok(())
    }

    /// Whether what there is to release shall not wait until the input does. [`Step::settle`] must
    /// put an end to it.
    fn is_urgent(&self, elapsed: Duration) -> bool {
        let _ = elapsed;
        false
    }

    /// The stream has ended.
    #[allow(clippy::missing_errors_doc)]
    fn close(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let _ = cx;
        Ok(())
    }

    /// What ends a wait for input early; [`Step::tick`] follows. `None`: nothing does.
    fn pause(&self, elapsed: Duration) -> Option<Pause<'_>> {
        let _ = elapsed;
        None
    }

    /// Time has passed: after a wait for input that brought none, and before the lines of each
    /// read.
    #[allow(clippy::missing_errors_doc)]
    fn tick(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let _ = cx;
        Ok(())
    }

    /// All streams have ended: the next piece of what is to be written now, true while more is to
    /// come. Output is released in between, so that a long one is not gathered in memory.
    #[allow(clippy::missing_errors_doc)]
    fn conclude(&mut self, cx: &mut Context<'_>) -> Result<bool, Failure> {
        let _ = cx;
        Ok(false)
    }

    /// Everything is done. What is returned is merged with what the pump knows.
    #[allow(clippy::missing_errors_doc)]
    fn finish(&mut self, cx: &mut Context<'_>) -> Result<Exit, Failure> {
        let _ = cx;
        Ok(Exit::Done)
    }
}

/// What a step is given.
#[derive(Debug)]
pub struct Context<'a> {
    /// Where output goes; whole lines only.
    pub out: &'a mut Vec<u8>,
    /// Where findings go.
    pub findings: &'a mut Findings,
    /// When the bytes at hand were received.
    pub now: UtcTime,
    /// How long the program had run then, by a clock that nobody sets.
    pub elapsed: Duration,
    /// The name of the input, `-` for standard input.
    pub file: &'a str,
    /// Which of the inputs it is, from 0.
    pub file_index: usize,
    /// For waits of the step's own.
    pub signals: &'a Signals,
}

impl Context<'_> {
    /// Reports what is wrong with a line. The last bytes of a stream that has no LF get
    /// `truncated_line`, whatever is wrong with them: the writer was cut off.
    pub fn report(&mut self, line: &Line<'_>, problem: &Problem) {
        if !line.frame.terminated && problem.code.class() == Class::Invalid {
            let message = format!("the input ends inside a line: {}", problem.message);
            self.report_as(line, Code::TruncatedLine, &message);
        } else {
            self.report_as(line, problem.code, &problem.message);
        }
    }

    fn report_as(&mut self, line: &Line<'_>, code: Code, message: &str) {
        let place = Place {
            file: self.file,
            line: line.number,
        };
        self.findings.report(place, code, message, line.bytes);
    }
}

/// Hands a framed line to the step, unless its frame says all there is to say.
pub(super) fn one_line(
    line: Line<'_>,
    crlf_said: &mut bool,
    step: &mut dyn Step,
    cx: &mut Context<'_>,
) -> Result<(), Failure> {
    if line.frame.crlf && !*crlf_said {
        *crlf_said = true;
        let message = "lines end in CR LF; the CR is dropped (said once for each input)";
        cx.report_as(&Line { bytes: b"", ..line }, Code::Crlf, message);
    }
    if let Some(length) = line.frame.oversized {
        let message =
            format!("a line of {length} bytes was skipped; --max-line-bytes sets the cap");
        cx.report_as(&line, Code::OversizedLine, &message);
        return Ok(());
    }
    if line.is_blank() {
        return Ok(());
    }
    let mark = cx.out.len();
    let done = step.line(line, cx);
    if done.is_err() {
        // Nothing of a line whose step failed is released.
        cx.out.truncate(mark);
    }
    done
}
