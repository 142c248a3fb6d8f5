//! Writing: compact JSON, the fields in the order of the contract.

use super::{Capabilities, Event, Lineage};
use crate::json::push_str;

impl Event<'_> {
    /// Appends the event as one line of JSON, LF included.
    ///
    /// # Examples
    ///
    /// ```
    /// use lctools::event::EventView;
    /// let line = concat!(
    ///     r#"{"schemaVersion":1,"eventId":"e","source":"s","sourceEpoch":"x","childId":"c","#,
    ///     r#""lineage":{"rootChildId":"c","attempt":0,"external":false},"kind":"heartbeat","#,
    ///     r#""observedAt":"2026-08-24T09:15:30.000Z"}"#,
    ///     "\n",
    /// );
    /// let mut out = Vec::new();
    /// EventView::parse(line.trim().as_bytes()).unwrap().write(&mut out);
    /// assert_eq!(String::from_utf8(out).unwrap(), line);
    /// ```
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"schemaVersion\":1,\"eventId\":");
        push_str(out, &self.event_id);
        out.extend_from_slice(b",\"source\":");
        push_str(out, &self.source);
        out.extend_from_slice(b",\"sourceEpoch\":");
        push_str(out, &self.source_epoch);
        out.extend_from_slice(b",\"childId\":");
        push_str(out, &self.child_id);
        out.extend_from_slice(b",\"lineage\":");
        self.lineage.write(out);
        out.extend_from_slice(b",\"kind\":\"");
        out.extend_from_slice(self.kind.as_str().as_bytes());
        out.push(b'"');
        if let Some(state) = self.state {
            out.extend_from_slice(b",\"state\":\"");
            out.extend_from_slice(state.as_str().as_bytes());
            out.push(b'"');
        }
        out.extend_from_slice(b",\"observedAt\":\"");
        self.observed_at.write(out);
        out.push(b'"');
        if let Some(sequence) = self.sequence {
            out.extend_from_slice(b",\"sequence\":");
            push_number(out, sequence);
        }
        if let Some(activity) = &self.activity {
            out.extend_from_slice(b",\"activity\":");
            push_str(out, activity);
        }
        if let Some(details) = &self.details {
            out.extend_from_slice(b",\"details\":");
            out.extend_from_slice(details.as_bytes());
        }
        if let Some(capabilities) = &self.capabilities {
            out.extend_from_slice(b",\"capabilities\":");
            capabilities.write(out);
        }
        out.extend_from_slice(b"}\n");
    }
}

impl Lineage<'_> {
    /// Appends the lineage as a JSON object.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"rootChildId\":");
        push_str(out, &self.root_child_id);
        out.extend_from_slice(b",\"attempt\":");
        push_number(out, self.attempt);
        out.extend_from_slice(b",\"external\":");
        out.extend_from_slice(if self.external { b"true" } else { b"false" });
        if let Some(parent) = &self.parent_child_id {
            out.extend_from_slice(b",\"parentChildId\":");
            push_str(out, parent);
        }
        if let Some(adopted_at) = self.adopted_at {
            out.extend_from_slice(b",\"adoptedAt\":\"");
            adopted_at.write(out);
            out.push(b'"');
        }
        out.push(b'}');
    }
}

impl Capabilities {
    /// Appends the capabilities as a JSON object.
    pub fn write(&self, out: &mut Vec<u8>) {
        for (index, (name, value)) in self.members().into_iter().enumerate() {
            out.extend_from_slice(if index == 0 { b"{\"" } else { b",\"" });
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(b"\":\"");
            out.extend_from_slice(value.as_str().as_bytes());
            out.push(b'"');
        }
        out.push(b'}');
    }
}

/// Appends a number in decimal.
pub(crate) fn push_number(out: &mut Vec<u8>, number: u64) {
    // Writing into memory cannot fail.
    let _ = serde_json::to_writer(out, &number);
}
