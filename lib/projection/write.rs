//! Writing: the progress record and what accompanies it, compact JSON in the order of the
//! contract. Lines without their LF, so that they can be nested.

use super::{Audit, Child, Correction, Diagnostic, Effect, Intent, Projection};
use crate::event::push_number;
use crate::json::push_str;
use crate::time::UtcTime;

/// Appends a child's progress record.
pub fn write_progress(child: &Child, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"type\":\"progress\"");
    string(out, "source", child.source());
    string(out, "sourceEpoch", child.epoch());
    string(out, "childId", child.id());
    word(out, "state", child.state().as_str());
    time(out, "observedAt", child.observed_at());
    time(out, "stateSince", child.state_since());
    time(out, "startedAt", child.started_at());
    name(out, "lineage");
    match child.lineage() {
        Some(lineage) => lineage.write(out),
        None => out.extend_from_slice(b"null"),
    }
    name(out, "capabilities");
    child.capabilities().write(out);
    if let Some(sequence) = child.last_sequence() {
        name(out, "lastSequence");
        push_number(out, sequence);
    }
    if let Some(activity) = child.last_activity() {
        string(out, "lastActivity", activity);
    }
    if let Some(at) = child.last_heartbeat_at() {
        time(out, "lastHeartbeatAt", at);
    }
    boolean(out, "stale", child.is_stale());
    boolean(out, "gapDetected", child.has_gap());
    if child.misses() > 0 {
        name(out, "misses");
        push_number(out, u64::from(child.misses()));
    }
    if let Some(cause) = child.terminal_cause() {
        raw(out, "terminalCause", cause);
    }
    if let Some(correction) = child.correction() {
        write_correction(correction, out);
    }
    if let Some(agent) = child.agent() {
        raw(out, "agent", agent);
    }
    out.push(b'}');
}

fn write_correction(correction: &Correction, out: &mut Vec<u8>) {
    name(out, "correction");
    out.extend_from_slice(b"{\"snapshotId\":");
    push_str(out, &correction.snapshot_id);
    word(out, "from", correction.from.as_str());
    word(out, "to", correction.to.as_str());
    time(out, "observedAt", correction.observed_at);
    out.push(b'}');
}

impl Effect {
    /// Appends the effect; call it before the projection changes again.
    pub fn write(&self, projection: &Projection, out: &mut Vec<u8>) {
        match self {
            Effect::Audit(audit) => write_audit(audit, projection, out),
            Effect::Intent(intent) => write_intent(intent, projection, out),
            Effect::Diagnostic(diagnostic) => write_diagnostic(diagnostic, projection, out),
            Effect::Synthesized(made) => {
                out.extend_from_slice(b"{\"type\":\"synthesized\",\"event\":");
                made.write_event(projection, out);
                // The event is written as a line of its own.
                let end = out.trim_ascii_end().len();
                out.truncate(end);
                out.push(b'}');
            }
        }
    }
}

fn write_audit(audit: &Audit, projection: &Projection, out: &mut Vec<u8>) {
    let Some(child) = projection.children().get(audit.child) else {
        return;
    };
    out.extend_from_slice(b"{\"type\":\"audit\"");
    string(out, "source", child.source());
    string(out, "childId", child.id());
    word(out, "from", audit.from.as_str());
    word(out, "to", audit.to.as_str());
    string(out, "snapshotId", &audit.snapshot_id);
    time(out, "observedAt", audit.observed_at);
    word(out, "reason", "authoritative_snapshot");
    out.push(b'}');
}

fn write_intent(intent: &Intent, projection: &Projection, out: &mut Vec<u8>) {
    let Some(child) = projection.children().get(intent.child) else {
        return;
    };
    out.extend_from_slice(b"{\"type\":\"intent\"");
    word(out, "intent", intent.reason.intent());
    string(out, "source", child.source());
    string(out, "sourceEpoch", child.epoch());
    string(out, "childId", child.id());
    word(out, "reason", intent.reason.as_str());
    time(out, "observedAt", intent.observed_at);
    if let Some(snapshot_id) = &intent.snapshot_id {
        string(out, "snapshotId", snapshot_id);
    }
    out.push(b'}');
}

fn write_diagnostic(diagnostic: &Diagnostic, projection: &Projection, out: &mut Vec<u8>) {
    let Some(child) = projection.children().get(diagnostic.child) else {
        return;
    };
    out.extend_from_slice(b"{\"type\":\"diagnostic\"");
    string(out, "source", child.source());
    string(out, "childId", child.id());
    word(out, "code", diagnostic.code.as_str());
    string(out, "snapshotId", &diagnostic.snapshot_id);
    out.push(b'}');
}

fn name(out: &mut Vec<u8>, name: &str) {
    out.extend_from_slice(b",\"");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":");
}

fn string(out: &mut Vec<u8>, key: &str, value: &str) {
    name(out, key);
    push_str(out, value);
}

/// A word of ours, which needs no escapes.
fn word(out: &mut Vec<u8>, key: &str, value: &str) {
    name(out, key);
    out.push(b'"');
    out.extend_from_slice(value.as_bytes());
    out.push(b'"');
}

fn boolean(out: &mut Vec<u8>, key: &str, value: bool) {
    raw(out, key, if value { "true" } else { "false" });
}

fn raw(out: &mut Vec<u8>, key: &str, value: &str) {
    name(out, key);
    out.extend_from_slice(value.as_bytes());
}

fn time(out: &mut Vec<u8>, key: &str, value: UtcTime) {
    name(out, key);
    out.push(b'"');
    value.write(out);
    out.push(b'"');
}
