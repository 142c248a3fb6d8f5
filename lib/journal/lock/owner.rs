//! `owner.json`: what a holder says of itself.
//!
//! Reading: the file may come from another implementation or from somebody hostile. It is read
//! only if it is a regular file of at most 64 KiB; a field of the wrong type is a field that is
//! missing; unknown fields are ignored. Writing is left to `prepared`.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;
use serde::Serialize;
use serde_json::{Map, Value};

/// The name of the file in the lock directory.
pub(super) const OWNER_FILE: &str = "owner.json";

/// The most that is read of an owner.json, in bytes.
const OWNER_CAP: u64 = 64 * 1024;

/// How an owner.json is opened: never through a link, never waiting on a FIFO.
const READ_FLAGS: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC);

/// What a holder recorded of itself; a field that it left out, or gave a wrong type, is `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Owner {
    /// Process id, in the holder's own pid namespace; only 1 to 2³¹−1 is taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<i32>,
    /// A fresh name for each time the lock is taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// When it was taken: RFC 3339, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// The host name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// `/etc/machine-id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine_id: Option<String>,
    /// `/proc/sys/kernel/random/boot_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boot_id: Option<String>,
    /// The pid namespace, as `/proc/self/ns/pid` names it: `pid:[4026531836]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid_namespace: Option<String>,
    /// Start of the process in clock ticks since boot: field 22 of `/proc/PID/stat`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_time: Option<u64>,
    /// Whether the holder keeps owner.json flocked for as long as it lives.
    pub flock: bool,
}

impl Owner {
    /// The owner in these bytes; `None` if they are not a JSON object.
    pub(super) fn parse(bytes: &[u8]) -> Option<Owner> {
        let fields: Map<String, Value> = serde_json::from_slice(bytes).ok()?;
        let text = |name: &str| {
            let value = fields.get(name)?.as_str()?.trim();
            (!value.is_empty()).then(|| value.to_owned())
        };
        // Ticks and namespace numbers: as numbers, or as the text that /proc gives.
        let number_or_text = |name: &str| match fields.get(name)? {
            Value::Number(number) => number.as_u64().map(|n| n.to_string()),
            _ => text(name),
        };
        Some(Owner {
            pid: fields
                .get("pid")
                .and_then(Value::as_i64)
                .and_then(|pid| i32::try_from(pid).ok())
                .filter(|pid| *pid > 0),
            token: text("token"),
            created_at: text("createdAt"),
            host: text("host"),
            machine_id: text("machineId"),
            boot_id: text("bootId"),
            pid_namespace: number_or_text("pidNamespace"),
            start_time: number_or_text("startTime").and_then(|ticks| ticks.parse().ok()),
            flock: fields
                .get("flock")
                .and_then(Value::as_bool)
                .unwrap_or(false),
        })
    }

    /// Who this is, for a message.
    pub(super) fn describe(&self) -> String {
        let mut who = match self.pid {
            Some(pid) => format!("pid {pid}"),
            None => "a holder without a usable pid".to_owned(),
        };
        if let Some(host) = &self.host {
            let _ = write!(who, " on host {}", shown(host));
        }
        if let Some(created) = &self.created_at {
            let _ = write!(who, " since {}", shown(created));
        }
        who
    }
}

/// Text of unknown origin, quoted for a message: control characters escaped, cut at 80.
pub(super) fn shown(text: &str) -> String {
    let mut cut: String = text.chars().take(80).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    format!("{cut:?}")
}

/// A path for a message that may be pasted into a shell: as it is where it is harmless.
pub(super) fn shown_path(path: &Path) -> String {
    let harmless = |c: char| c.is_alphanumeric() || "/._-+,@:%=".contains(c);
    match path.to_str() {
        Some(text) if text.chars().all(harmless) => text.to_owned(),
        _ => format!("{path:?}"),
    }
}

/// What became of an attempt to read an owner.json.
pub(super) enum Reading {
    /// A JSON object, its bytes, and the open file they came from.
    Readable {
        owner: Owner,
        bytes: Vec<u8>,
        file: File,
    },
    /// There is none, or none that says anything; why not.
    Unreadable(String),
}

/// Reads the owner.json in an open directory.
pub(super) fn read_in(dir: impl AsFd) -> io::Result<Reading> {
    match try_read_in(dir) {
        // Removed on the server of a network file system, between two calls.
        Err(error) if error.kind() == io::ErrorKind::StaleNetworkFileHandle => {
            Ok(unreadable("its owner.json is going away"))
        }
        answer => answer,
    }
}

fn try_read_in(dir: impl AsFd) -> io::Result<Reading> {
    let file = match rustix::fs::openat(dir, OWNER_FILE, READ_FLAGS, Mode::empty()) {
        Ok(fd) => File::from(fd),
        Err(Errno::NOENT) => return Ok(unreadable("it has no owner.json")),
        Err(Errno::LOOP) => return Ok(unreadable("its owner.json is a symbolic link")),
        Err(errno @ (Errno::ACCESS | Errno::PERM | Errno::NXIO)) => {
            return Ok(Reading::Unreadable(format!(
                "its owner.json cannot be opened: {errno}"
            )));
        }
        Err(errno) => return Err(errno.into()),
    };
    let stat = rustix::fs::fstat(&file)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Ok(unreadable("its owner.json is not a regular file"));
    }
    let Some(bytes) = bounded(&file)? else {
        return Ok(unreadable("its owner.json is larger than 64 KiB"));
    };
    match Owner::parse(&bytes) {
        Some(owner) => Ok(Reading::Readable { owner, bytes, file }),
        None => Ok(unreadable("its owner.json is not a JSON object")),
    }
}

fn unreadable(why: &str) -> Reading {
    Reading::Unreadable(why.to_owned())
}

/// All of a small file; `None` if it is too large.
fn bounded(file: &File) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::with_capacity(512);
    file.take(OWNER_CAP + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= OWNER_CAP).then_some(bytes))
}

/// Whether the lock directory at `dir` bears this token.
pub(super) fn bears(dir: &Path, token: &str) -> io::Result<bool> {
    let file = match rustix::fs::open(dir.join(OWNER_FILE), READ_FLAGS, Mode::empty()) {
        Ok(fd) => File::from(fd),
        Err(
            Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::ACCESS | Errno::PERM | Errno::NXIO,
        ) => return Ok(false),
        Err(errno) => return Err(errno.into()),
    };
    let stat = rustix::fs::fstat(&file)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Ok(false);
    }
    let Some(bytes) = bounded(&file)? else {
        return Ok(false);
    };
    Ok(Owner::parse(&bytes).is_some_and(|owner| owner.token.as_deref() == Some(token)))
}
