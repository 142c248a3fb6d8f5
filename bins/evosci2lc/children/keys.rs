//! What children are looked up by, as hashes; one seed for each way to look one up.

use xxhash_rust::xxh3::xxh3_64_with_seed;

pub(super) fn instance_key(id: &str, panel: bool) -> u64 {
    xxh3_64_with_seed(id.as_bytes(), u64::from(panel))
}

pub(super) fn name_key(name: &str, panel: bool) -> u64 {
    xxh3_64_with_seed(name.as_bytes(), 2 + u64::from(panel))
}

/// Whoever made the call: what tells of an end does not say it.
pub(super) fn answer_key(id: &str, panel: bool) -> u64 {
    xxh3_64_with_seed(id.as_bytes(), 4 + u64::from(panel))
}

pub(super) fn call_key(scope: u64, id: &str) -> u64 {
    xxh3_64_with_seed(id.as_bytes(), scope.wrapping_add(6))
}
