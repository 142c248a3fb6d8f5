//! Each rule, kept and broken.

mod identity;
mod moves;
mod order;
mod starts;
mod traces;

/// A child that runs.
const STARTED: [&str; 3] = [
    "created:created seq=1",
    "state_changed:starting seq=2",
    "state_changed:running seq=3",
];
