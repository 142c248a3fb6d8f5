//! The rules one by one, each kept and each broken; what always holds, over random events.

mod fresh;
mod laws;
mod mixed;
mod rules;
mod snapshots;
mod told;
