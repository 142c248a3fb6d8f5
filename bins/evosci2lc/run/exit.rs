//! How the runtime's process ended, as the wrapper's `runtime_exit` has it.
//!
//! Wrappers are written by hand, so a signal is taken by number, by name, in any case; but a word
//! that names none is no evidence that there was one.

use lctools::event::State;
use lctools::json::{Kind, Raw};

use crate::native::Native;

/// The signals by name, those of other systems too.
#[rustfmt::skip]
const NAMES: [&str; 40] = [
    "ABRT", "ALRM", "BUS", "CHLD", "CLD", "CONT", "EMT", "FPE", "HUP", "ILL", "INFO", "INT", "IO",
    "IOT", "KILL", "LOST", "PIPE", "POLL", "PROF", "PWR", "QUIT", "RTMAX", "RTMIN", "SEGV",
    "STKFLT", "STOP", "SYS", "TERM", "THR", "TRAP", "TSTP", "TTIN", "TTOU", "URG", "USR1", "USR2",
    "VTALRM", "WINCH", "XCPU", "XFSZ",
];

/// How the process ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// With a code.
    Code(i64),
    /// By a signal of a number.
    Signal(u8),
    /// By a signal of a name, without `SIG`.
    Named(String),
}

impl Exit {
    /// By the signal, if that is one, else by the code.
    pub(super) fn of(line: &Native<'_>) -> Option<Exit> {
        if let Some(signal) = line.signal.and_then(signal) {
            return Some(signal);
        }
        let code = line.code?;
        let code: i64 = match code.kind() {
            Kind::String => code.as_str()?.trim().parse().ok()?,
            Kind::Number => code.text().parse().ok()?,
            _ => return None,
        };
        // Python says -9 for a process that signal 9 ended.
        let number = u8::try_from(code.unsigned_abs()).ok();
        Some(match number {
            Some(number @ 1..=64) if code < 0 => Exit::Signal(number),
            _ => Exit::Code(code),
        })
    }

    /// What that makes of whatever is still open.
    pub(super) fn verdict(&self) -> Option<State> {
        match self {
            Exit::Code(0) => None,
            Exit::Code(130 | 143) | Exit::Signal(2 | 15) => Some(State::Cancelled),
            Exit::Named(name) if matches!(&**name, "INT" | "TERM") => Some(State::Cancelled),
            _ => Some(State::Failed),
        }
    }

    /// The same for people.
    pub(super) fn text(&self) -> String {
        match self {
            Exit::Code(code) => format!("the runtime exited with {code}"),
            Exit::Signal(number) => format!("the runtime was ended by signal {number}"),
            Exit::Named(name) => format!("the runtime was ended by SIG{name}"),
        }
    }
}

/// A signal by number (digits in quotes too) or by name.
fn signal(raw: Raw<'_>) -> Option<Exit> {
    match raw.kind() {
        Kind::Number => by_number(raw.text()),
        Kind::String => {
            let text = raw.as_str()?;
            by_number(text.trim()).or_else(|| by_name(text.trim()))
        }
        _ => None,
    }
}

fn by_number(text: &str) -> Option<Exit> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|_| digits)?;
    (1..=64).contains(&number).then_some(Exit::Signal(number))
}

fn by_name(text: &str) -> Option<Exit> {
    // The longest is SIGRTMIN+15.
    let upper = text.get(..16).unwrap_or(text).to_ascii_uppercase();
    if upper.len() < text.len() {
        return None;
    }
    let name = upper.strip_prefix("SIG").unwrap_or(&upper);
    let plain = match name.split_once(['+', '-']) {
        Some((base @ ("RTMIN" | "RTMAX"), offset)) => {
            by_number(offset)?;
            base
        }
        Some(_) => return None,
        None => name,
    };
    NAMES.contains(&plain).then(|| Exit::Named(name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exit(members: &str) -> Option<Exit> {
        let line = format!(r#"{{"type":"runtime_exit",{members}}}"#);
        Exit::of(&Native::parse(line.as_bytes()).unwrap())
    }

    #[test]
    fn a_signal_is_taken_by_number_and_by_name_in_any_case() {
        use State::{Cancelled, Failed};
        for (signal, verdict) in [
            ("2", Cancelled),
            ("\"15\"", Cancelled),
            ("\" 02 \"", Cancelled),
            ("\"SIGINT\"", Cancelled),
            ("\"sigterm\"", Cancelled),
            ("\"Int\"", Cancelled),
            ("9", Failed),
            ("64", Failed),
            ("\"64\"", Failed),
            ("\"SIGKILL\"", Failed),
            ("\"hup\"", Failed),
            ("\"SIGXFSZ\"", Failed),
            ("\"SIGUSR1\"", Failed),
            ("\"SIGRTMIN+1\"", Failed),
            ("\"rtmin+15\"", Failed),
            ("\"SIGRTMAX-14\"", Failed),
            ("\"SIGRTMAX\"", Failed),
        ] {
            for code in ["0", "1", "null"] {
                let exit = exit(&format!(r#""signal":{signal},"code":{code}"#));
                assert_eq!(exit.unwrap().verdict(), Some(verdict), "{signal}");
            }
        }
        let exit = exit(r#""signal":"sigrtmin+1""#).unwrap();
        assert_eq!(exit.text(), "the runtime was ended by SIGRTMIN+1");
    }

    #[test]
    fn what_is_no_signal_leaves_the_verdict_to_the_code() {
        for word in [
            "\"none\"",
            "\"\"",
            "\" \"",
            "\"Interrupt\"",
            "\"SIG\"",
            "\"SIGNONE\"",
            "\"0\"",
            "0",
            "65",
            "-9",
            "2.0",
            "\"+2\"",
            "\"INT+1\"",
            "\"RTMIN+\"",
            "\"RTMIN+x\"",
            "\"\u{131}nt\"",
            "\"INT                                  not\"",
            "\"\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\"",
            "null",
            "true",
            "[2]",
        ] {
            assert_eq!(exit(&format!(r#""signal":{word}"#)), None, "{word}");
            for code in [0, 1, 130] {
                let exit = exit(&format!(r#""signal":{word},"code":{code}"#));
                assert_eq!(exit, Some(Exit::Code(code)), "{word}");
            }
        }
    }

    #[test]
    fn codes_are_whole_numbers() {
        assert_eq!(exit(r#""code":"137""#), Some(Exit::Code(137)));
        assert_eq!(exit(r#""code":-15"#), Some(Exit::Signal(15)));
        assert_eq!(exit(r#""code":-65"#), Some(Exit::Code(-65)));
        for code in [
            "1.5",
            "\"\"",
            "\"x\"",
            "true",
            "null",
            "99999999999999999999",
        ] {
            assert_eq!(exit(&format!(r#""code":{code}"#)), None, "{code}");
        }
        let least = exit(&format!(r#""code":{}"#, i64::MIN));
        assert_eq!(least.unwrap().verdict(), Some(State::Failed));
    }
}
