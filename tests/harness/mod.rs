//! What the tests share: the built programs on PATH, scratch folders, commands run by `sh`.

use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The programs under test.
pub(crate) const PROGRAMS: [(&str, &str); 4] = [
    ("evosci2lc", env!("CARGO_BIN_EXE_evosci2lc")),
    ("lcjournal", env!("CARGO_BIN_EXE_lcjournal")),
    ("lcproject", env!("CARGO_BIN_EXE_lcproject")),
    ("lcsnap", env!("CARGO_BIN_EXE_lcsnap")),
];

/// How long anything here may take before it counts as hanging.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// The project's folder.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// PATH with the programs under test in front.
pub(crate) fn path() -> OsString {
    let bins = Path::new(PROGRAMS[0].1).parent().unwrap().to_owned();
    let rest = env::var_os("PATH").unwrap_or_default();
    env::join_paths(std::iter::once(bins).chain(env::split_paths(&rest))).unwrap()
}

/// A command run by `sh` in the given folder, without a terminal anywhere.
pub(crate) fn sh(script: &str, folder: &Path) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(script).current_dir(folder);
    prepare(&mut command);
    command
}

/// The environment of every command under test.
pub(crate) fn prepare(command: &mut Command) {
    command
        .env("PATH", path())
        .env("FIXTURES", root().join("tests/fixtures"))
        .env("LC_ALL", "C.UTF-8")
        .env("TZ", "UTC")
        .env_remove("NO_COLOR")
        .env_remove("COLUMNS")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
}

/// A filter that reads from a pipe which stays open, and the pipe.
pub(crate) fn open(filter: &str, folder: &Path) -> (Child, ChildStdin) {
    let mut child = sh(&format!("exec {filter}"), folder)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let stdin = child.stdin.take().unwrap();
    (child, stdin)
}

/// Runs a script to its end.
pub(crate) fn run(script: &str, folder: &Path) -> Output {
    finish(sh(script, folder).spawn().unwrap())
}

/// Waits for a child, but not for ever: one that hangs is ended, by its pid, and told.
pub(crate) fn finish(mut child: Child) -> Output {
    let stdout = child.stdout.take().map(drain);
    let stderr = child.stderr.take().map(drain);
    let status = wait(&mut child);
    let bytes = |reader: Option<std::thread::JoinHandle<Vec<u8>>>| {
        reader.map_or_else(Vec::new, |reader| reader.join().unwrap())
    };
    Output {
        status,
        stdout: bytes(stdout),
        stderr: bytes(stderr),
    }
}

fn drain(mut pipe: impl Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).unwrap();
        bytes
    })
}

/// Waits for a child's end within [`PATIENCE`].
pub(crate) fn wait(child: &mut Child) -> std::process::ExitStatus {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("a command hangs (pid {})", child.id());
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Sends a signal to a process that the test started.
pub(crate) fn signal(pid: u32, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(pid as i32).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}

/// The status as a shell shows it.
pub(crate) fn code(status: std::process::ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt as _;
    status
        .code()
        .unwrap_or_else(|| 128 + status.signal().unwrap())
}

/// A shipped real stream of EvoScientist.
pub(crate) fn evosci(name: &str) -> PathBuf {
    root()
        .join("tests/fixtures/evosci")
        .join(format!("{name}.jsonl"))
}

/// A file opened for reading, as a child's stdin.
pub(crate) fn stdin_of(path: &Path) -> Stdio {
    Stdio::from(File::open(path).unwrap())
}

/// Text of an output, for assertions.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The figures of a campaign, shown where tests are run with `--nocapture`.
pub(crate) fn say(line: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "{line}");
}
