//! Every kind of left lock, younger and older than its age, with made-up evidence.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::super::LockOptions;
use super::super::evidence::{Flock, Machine, Probe, Process};
use super::super::judge::{Verdict, judge};
use super::super::owner::Owner;

pub(super) struct Fake {
    flock: Flock,
    process: Process,
}

impl Probe for Fake {
    fn flock(&self) -> Flock {
        self.flock.clone()
    }

    fn process(&self, _pid: i32) -> Process {
        self.process
    }
}

pub(super) const GONE: Fake = Fake {
    flock: Flock::Free,
    process: Process::Gone,
};
pub(super) const ALIVE: Fake = Fake {
    flock: Flock::Busy,
    process: Process::Alive {
        start_time: Some(500),
    },
};
/// Alive, as far as pid and start time go; but nobody holds a flock.
const UNFLOCKED: Fake = Fake {
    flock: Flock::Free,
    process: Process::Alive {
        start_time: Some(500),
    },
};
/// Its pid is not here; its flock is held.
const ELSEWHERE: Fake = Fake {
    flock: Flock::Busy,
    process: Process::Gone,
};

pub(super) fn now() -> Timestamp {
    "2026-08-24T09:15:30Z".parse().unwrap()
}

pub(super) fn machine() -> Machine {
    Machine {
        host: Some("here".into()),
        machine_id: Some("m1".into()),
        boot_id: Some("b1".into()),
        pid_namespace: Some("pid:[77]".into()),
        boot_time: Some("2026-08-24T08:00:00Z".parse().unwrap()),
    }
}

/// An owner with full evidence, changed as said; `null` removes a field.
pub(super) fn full(changes: Value) -> Value {
    let mut owner = json!({
        "pid": 42, "token": "t", "host": "here", "machineId": "m1", "bootId": "b1",
        "pidNamespace": "pid:[77]", "startTime": 500, "flock": false,
    });
    for (name, value) in changes.as_object().unwrap() {
        owner[name] = value.clone();
    }
    owner
        .as_object_mut()
        .unwrap()
        .retain(|_, value| !value.is_null());
    owner
}

pub(super) fn pid_only(changes: Value) -> Value {
    let mut owner = json!({"pid": 42, "token": "t"});
    for (name, value) in changes.as_object().unwrap() {
        owner[name] = value.clone();
    }
    owner
}

fn judged(owner: &Value, seconds: f64, probe: &Fake) -> Verdict {
    let mut owner = owner.clone();
    if owner.get("createdAt").is_none() {
        let created = now() - SignedDuration::from_secs_f64(seconds);
        owner["createdAt"] = json!(format!("{created:.3}"));
    }
    let owner = Owner::parse(owner.to_string().as_bytes()).unwrap();
    let changed = now() - SignedDuration::from_secs_f64(seconds);
    judge(
        &owner,
        changed,
        now(),
        &machine(),
        &LockOptions::default(),
        probe,
    )
}

/// Taken over from this age on, and not before.
#[track_caller]
pub(super) fn from(seconds: f64, owner: Value, probe: &Fake) {
    let young = judged(&owner, seconds - 0.001, probe);
    assert!(!young.reclaimable, "{owner}: {}", young.reason);
    let old = judged(&owner, seconds, probe);
    assert!(old.reclaimable, "{owner}: {}", old.reason);
}

/// Never taken over, and the reason says this.
#[track_caller]
pub(super) fn never(owner: Value, probe: &Fake, reason: &str) {
    for seconds in [0.0, 1.9, 2.0, 300.0, 4000.0] {
        let verdict = judged(&owner, seconds, probe);
        assert!(!verdict.reclaimable, "{owner}: {}", verdict.reason);
        assert!(verdict.reason.contains(reason), "{}", verdict.reason);
    }
}

#[test]
fn of_this_machine() {
    from(2.0, full(json!({})), &GONE);
    never(full(json!({})), &ALIVE, "alive");
    // A reused pid.
    from(2.0, full(json!({"startTime": 499})), &ALIVE);
    // Containers: another host name, the same boot.
    from(2.0, full(json!({"host": "c0ffee"})), &GONE);
    from(
        2.0,
        full(json!({"host": "c0ffee", "machineId": "m2"})),
        &GONE,
    );
    // Whether this pid is the owner cannot be told.
    never(full(json!({"startTime": null})), &ALIVE, "alive");
    let unseen = Fake {
        flock: Flock::Free,
        process: Process::Alive { start_time: None },
    };
    never(full(json!({"startTime": 499})), &unseen, "alive");
    never(full(json!({"pid": null})), &GONE, "no usable pid");
}

#[test]
fn the_flock_decides_where_the_owner_says_it_holds_one() {
    from(2.0, full(json!({"flock": true})), &GONE);
    from(2.0, full(json!({"flock": true})), &UNFLOCKED);
    from(
        2.0,
        full(json!({"flock": true, "pidNamespace": "pid:[78]", "pid": null})),
        &GONE,
    );
    never(full(json!({"flock": true})), &ELSEWHERE, "flock");
    never(
        full(json!({"flock": true, "startTime": 499})),
        &ALIVE,
        "flock",
    );
    let untried = Fake {
        flock: Flock::Unknown("no locks".into()),
        process: Process::Gone,
    };
    never(full(json!({"flock": true})), &untried, "no locks");
    // A flock on another machine, or of another boot, is not seen from here.
    let foreign = json!({"flock": true, "bootId": "b2", "host": "there"});
    never(full(foreign), &GONE, "another host");
}

#[test]
fn in_another_pid_namespace() {
    never(
        full(json!({"pidNamespace": "pid:[78]"})),
        &GONE,
        "namespace",
    );
    never(
        pid_only(json!({"pidNamespace": "pid:[78]"})),
        &GONE,
        "namespace",
    );
    never(
        full(json!({"pidNamespace": "pid:[78]", "flock": true})),
        &ELSEWHERE,
        "flock",
    );
    from(2.0, full(json!({"pidNamespace": 77})), &GONE);
}

#[test]
fn of_another_boot_or_host() {
    from(2.0, full(json!({"bootId": "b0"})), &ALIVE);
    from(
        2.0,
        full(json!({"bootId": "b0", "flock": true, "pidNamespace": "pid:[9]"})),
        &ALIVE,
    );
    never(
        full(json!({"bootId": "b0", "host": "there"})),
        &GONE,
        "another host, \"there\"",
    );
    never(
        full(json!({"bootId": "b0", "host": "there", "machineId": "m2"})),
        &GONE,
        "another host",
    );
    never(
        full(json!({"bootId": "b0", "machineId": "m2"})),
        &GONE,
        "which machine",
    );
    never(
        full(json!({"bootId": "b0", "machineId": null})),
        &GONE,
        "which machine",
    );
    never(
        full(json!({"bootId": "b0", "host": null})),
        &GONE,
        "which machine",
    );
    never(pid_only(json!({"host": "there"})), &GONE, "another host");
    never(
        pid_only(json!({"host": "here", "machineId": "m2"})),
        &GONE,
        "another machine",
    );
}

#[test]
fn of_another_implementation() {
    from(300.0, pid_only(json!({})), &GONE);
    never(pid_only(json!({})), &UNFLOCKED, "alive");
    from(300.0, pid_only(json!({"host": "here"})), &GONE);
    from(300.0, full(json!({"bootId": null})), &GONE);
    from(300.0, full(json!({"pidNamespace": null})), &GONE);
    from(300.0, pid_only(json!({"flock": true})), &UNFLOCKED);
    never(pid_only(json!({"flock": true})), &ELSEWHERE, "flock");
    never(
        pid_only(json!({"createdAt": "2026-08-24T08:00:00.000Z"})),
        &ALIVE,
        "alive",
    );
    let foreign = json!({"createdAt": "2026-08-24T07:00:00.000Z", "host": "there"});
    never(pid_only(foreign), &GONE, "another host");
}

/// Dead, whoever has the pid by now; but by age too.
#[test]
fn made_before_this_boot() {
    let booted = |seconds| Machine {
        boot_time: Some(now() - SignedDuration::from_secs(seconds)),
        ..machine()
    };
    let created = |seconds| (now() - SignedDuration::from_secs(seconds)).to_string();
    let of = |created: String, machine: &Machine| {
        let owner = Owner {
            pid: Some(42),
            created_at: Some(created),
            ..Owner::default()
        };
        judge(
            &owner,
            now(),
            now(),
            machine,
            &LockOptions::default(),
            &ALIVE,
        )
        .reclaimable
    };
    assert!(of(created(300), &booted(298)));
    assert!(
        !of(created(300), &booted(299)),
        "the clock is not that exact"
    );
    assert!(!of(created(300), &booted(301)));
    assert!(!of(created(299), &booted(10)));
}
