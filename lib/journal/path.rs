//! Which file a PATH means: links are followed first, so that lock and state stand beside the
//! real file whatever name it was reached by.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::FileType;

use super::{JournalError, disk};

/// How many links are followed, as the system does.
const MAX_LINKS: usize = 40;

/// A journal's PATH: as it was given, and what it means.
#[derive(Clone, Debug)]
pub struct JournalPath {
    name: String,
    real: PathBuf,
}

impl JournalPath {
    /// Follows links, the last one too where the file it names is still to be made.
    ///
    /// # Errors
    ///
    /// [`JournalError::NotAFile`] for a directory, FIFO or device, [`JournalError::Io`] where the
    /// folder is missing or may not be searched.
    pub fn resolve(path: &Path) -> Result<JournalPath, JournalError> {
        let name = path.display().to_string();
        if name == "-" {
            return Err(JournalError::NotAFile {
                name,
                what: "not a journal: a journal is a file (./- names one of that name)".to_owned(),
            });
        }
        match follow(path) {
            Ok(real) => Ok(JournalPath { name, real }),
            Err(source) => Err(JournalError::io(&name, source)),
        }
    }

    /// The PATH as it was given, for messages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The real file; it may not be there yet.
    #[must_use]
    pub fn real(&self) -> &Path {
        &self.real
    }

    /// A file beside the real one, named as a person would who gave this PATH.
    pub(super) fn shown(&self, beside: &Path) -> String {
        let given = Path::new(&self.name);
        let parent = given.parent().unwrap_or(Path::new(""));
        let same = given.file_name() == self.real.file_name()
            && fs::canonicalize(if parent == Path::new("") {
                Path::new(".")
            } else {
                parent
            })
            .is_ok_and(|parent| parent == self.folder());
        match beside.file_name() {
            Some(file) if same => parent.join(file).display().to_string(),
            _ => beside.display().to_string(),
        }
    }

    /// The folder of the real file.
    pub(super) fn folder(&self) -> &Path {
        match self.real.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        }
    }

    /// The name with something added: `PATH.state`.
    pub(super) fn with_suffix(&self, suffix: &str) -> PathBuf {
        let mut name = self.real.clone().into_os_string();
        name.push(suffix);
        PathBuf::from(name)
    }
}

/// Opens a journal to read it; `None` if it is missing, which is a journal without entries.
///
/// # Errors
///
/// As [`JournalPath::resolve`], and if it may not be read.
pub fn open_for_reading(path: &JournalPath) -> Result<Option<File>, JournalError> {
    disk::open_file(&path.real, false).map_err(|source| JournalError::io(&path.name, source))
}

fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::canonicalize(&path) {
            Ok(real) => return regular(real),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Err(_) => {}
        }
        let parent = match path.parent() {
            Some(parent) if parent != Path::new("") => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        match fs::read_link(&path) {
            Ok(target) => path = parent.join(target),
            Err(_) => {
                let file = path.file_name().filter(|_| !ends_in_slash(&path));
                let file = file.ok_or_else(|| disk::not_a_file(FileType::Directory))?;
                return Ok(fs::canonicalize(parent)?.join(file));
            }
        }
    }
    Err(rustix::io::Errno::LOOP.into())
}

fn regular(real: PathBuf) -> io::Result<PathBuf> {
    let stat = rustix::fs::stat(&real)?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Ok(real),
        other => Err(disk::not_a_file(other)),
    }
}

fn ends_in_slash(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().ends_with(b"/")
}
