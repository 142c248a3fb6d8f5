//! A JSON object in the making: the `details` of one event.
//!
//! Everything that goes in is bounded already by whoever puts it in.

use std::io::Write as _;

use lctools::json::push_str;

/// An object, open until it is finished.
#[derive(Debug, Default)]
pub(crate) struct Details(Vec<u8>);

impl Details {
    /// Nothing yet.
    pub(crate) fn new() -> Details {
        Details::default()
    }

    /// A text; `None` leaves the member out.
    pub(crate) fn text(mut self, key: &str, value: Option<&str>) -> Details {
        if let Some(value) = value {
            self.key(key);
            push_str(&mut self.0, value);
        }
        self
    }

    /// A number; `None` leaves the member out.
    pub(crate) fn number(mut self, key: &str, value: Option<u64>) -> Details {
        if let Some(value) = value {
            self.key(key);
            // Writing into memory cannot fail.
            let _ = write!(self.0, "{value}");
        }
        self
    }

    /// A boolean; `None` leaves the member out.
    pub(crate) fn flag(mut self, key: &str, value: Option<bool>) -> Details {
        if let Some(value) = value {
            self.key(key);
            self.0
                .extend_from_slice(if value { b"true" } else { b"false" });
        }
        self
    }

    /// Texts in a row.
    pub(crate) fn texts<'t>(
        mut self,
        key: &str,
        values: impl IntoIterator<Item = &'t str>,
    ) -> Details {
        self.key(key);
        self.0.push(b'[');
        for (index, value) in values.into_iter().enumerate() {
            if index > 0 {
                self.0.push(b',');
            }
            push_str(&mut self.0, value);
        }
        self.0.push(b']');
        self
    }

    /// An object within; an empty one is left out.
    pub(crate) fn object(mut self, key: &str, value: Details) -> Details {
        if let Some(text) = value.finish() {
            self.key(key);
            self.0.extend_from_slice(text.as_bytes());
        }
        self
    }

    /// A value that is JSON already.
    pub(crate) fn raw(mut self, key: &str, value: &[u8]) -> Details {
        self.key(key);
        self.0.extend_from_slice(value);
        self
    }

    /// The members of another object, after those that are there.
    pub(crate) fn members(mut self, other: Details) -> Details {
        if let Some((_, members)) = other.0.split_first() {
            self.0.push(if self.0.is_empty() { b'{' } else { b',' });
            self.0.extend_from_slice(members);
        }
        self
    }

    /// The object's text, `None` if nothing was put in.
    pub(crate) fn finish(mut self) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        self.0.push(b'}');
        String::from_utf8(self.0).ok()
    }

    fn key(&mut self, key: &str) {
        self.0.push(if self.0.is_empty() { b'{' } else { b',' });
        push_str(&mut self.0, key);
        self.0.push(b':');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_left_out() {
        let inner = Details::new().text("name", None).flag("success", None);
        assert_eq!(Details::new().object("tool", inner).finish(), None);
        let details = Details::new()
            .object(
                "tool",
                Details::new()
                    .text("name", Some("a\"b"))
                    .flag("success", Some(false)),
            )
            .number("n", Some(3))
            .texts("open", ["a", "b"]);
        assert_eq!(
            details.finish().unwrap(),
            r#"{"tool":{"name":"a\"b","success":false},"n":3,"open":["a","b"]}"#
        );
    }
}
