//! How --tree and --table look: colours, signs, the width of the screen. The one place of this
//! program that asks the terminal and the environment.

use std::env;
use std::ffi::OsStr;

use clap::ColorChoice;
use lctools::event::State;
use rustix::stdio::{stderr, stdout};
use rustix::termios::{isatty, tcgetwinsize};

/// What the output can show.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Look {
    /// ANSI colours.
    pub(crate) color: bool,
    /// Signs beyond ASCII.
    pub(crate) unicode: bool,
    /// Rows are cut to so many columns.
    pub(crate) columns: Option<usize>,
    /// A screen has so many rows.
    pub(crate) rows: Option<usize>,
    /// What was written can be written over.
    pub(crate) redraws: bool,
    /// Findings are written between what was drawn.
    pub(crate) shares_stderr: bool,
}

/// How a piece of a row is painted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paint {
    Plain,
    Bold,
    Dim,
    Good,
    Bad,
    Odd,
    Busy,
}

impl Look {
    /// What standard output can show, as the user wants it.
    pub(crate) fn of_stdout(choice: ColorChoice) -> Look {
        let terminal = isatty(stdout());
        let set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
        let color = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => terminal && !dumb && !set("NO_COLOR"),
        };
        let mut look = Look {
            color,
            unicode: speaks_utf8(|name| env::var_os(name)),
            redraws: terminal && !dumb,
            shares_stderr: terminal && isatty(stderr()),
            ..Look::default()
        };
        if terminal {
            look.measure();
        }
        look
    }

    /// Asks the terminal anew how large it is.
    pub(crate) fn measure(&mut self) {
        let size = tcgetwinsize(stdout()).ok();
        let known = |cells: u16| Some(usize::from(cells)).filter(|cells| *cells > 0);
        self.columns = size.and_then(|size| known(size.ws_col));
        self.rows = size.and_then(|size| known(size.ws_row));
    }

    /// How many columns of a tree's row its name may take: state, time and cause must fit too.
    pub(crate) fn widest_name(&self) -> usize {
        self.columns
            .map_or(usize::MAX, |columns| (columns * 2 / 5).max(20))
    }

    /// The sign of a state.
    pub(crate) fn sign(&self, state: State) -> &'static str {
        let (sign, ascii) = match state {
            State::Created => ("○", "."),
            State::Starting => ("◌", ":"),
            State::Running => ("●", ">"),
            State::Waiting => ("◇", "?"),
            State::Completed => ("✓", "+"),
            State::Failed => ("✗", "x"),
            State::Cancelled => ("⊘", "/"),
            State::Lost => ("∅", "!"),
        };
        if self.unicode { sign } else { ascii }
    }

    /// What stands where something was cut away.
    pub(crate) fn ellipsis(&self) -> &'static str {
        if self.unicode { "…" } else { "~" }
    }

    /// The bytes that begin a paint; [`Look::RESET`] ends it.
    pub(crate) fn begin(&self, paint: Paint) -> &'static str {
        match paint {
            _ if !self.color => "",
            Paint::Plain => "",
            Paint::Bold => "\x1b[1m",
            Paint::Dim => "\x1b[2m",
            Paint::Good => "\x1b[32m",
            Paint::Bad => "\x1b[31m",
            Paint::Odd => "\x1b[33m",
            Paint::Busy => "\x1b[36m",
        }
    }

    /// Ends a paint.
    pub(crate) const RESET: &str = "\x1b[0m";
}

/// The paint of a state.
pub(crate) fn paint(state: State) -> Paint {
    match state {
        State::Completed => Paint::Good,
        State::Failed | State::Lost => Paint::Bad,
        State::Cancelled | State::Waiting => Paint::Odd,
        State::Created | State::Starting | State::Running => Paint::Busy,
    }
}

/// Whether the locale's characters are UTF-8: the first of the three variables that is set says.
fn speaks_utf8<Value: AsRef<OsStr>>(variable: impl Fn(&str) -> Option<Value>) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| {
        let value = variable(name)?
            .as_ref()
            .to_string_lossy()
            .to_ascii_lowercase();
        (!value.is_empty()).then_some(value)
    });
    locale.is_some_and(|locale| locale.contains("utf-8") || locale.contains("utf8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_that_is_set_names_the_locale() {
        let speaks = |all: &'static str, lang: &'static str| {
            speaks_utf8(|name| match name {
                "LC_ALL" => Some(all),
                "LANG" => Some(lang),
                _ => None,
            })
        };
        assert!(speaks("", "de_DE.UTF-8"));
        assert!(speaks("C.utf8", ""));
        assert!(!speaks("C", "de_DE.UTF-8"));
        assert!(!speaks("", ""));
    }

    #[test]
    fn every_state_has_a_sign_of_its_own_one_column_wide() {
        for unicode in [true, false] {
            let look = Look {
                unicode,
                ..Look::default()
            };
            let mut signs: Vec<_> = State::ALL.iter().map(|state| look.sign(*state)).collect();
            assert!(signs.iter().all(|sign| crate::text::width(sign) == 1));
            signs.sort_unstable();
            signs.dedup();
            assert_eq!(signs.len(), State::ALL.len());
        }
    }
}
