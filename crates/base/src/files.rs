//! Files on disk: bounded reading, writing that never leaves an incomplete file, and a folder that
//! confines both. The module knows nothing of what files contain.

use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

mod root;

pub use root::{Refused, Root};

/// Opens a regular file for reading. It does not wait for the writer of a pipe.
///
/// # Errors
/// The system's error; `InvalidInput` for directories, devices and pipes.
pub fn open(path: &Path) -> io::Result<File> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    File::open(path)
}

/// Reads a regular file of at most `limit` bytes.
///
/// # Errors
/// As [`open`]; `FileTooLarge` for a file over the limit.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let len = file.metadata()?.len();
    if len > limit {
        return Err(too_large(limit));
    }
    bounded(file, limit, len)
}

/// Reads at most `limit` bytes from any reader.
///
/// # Errors
/// The system's error; `FileTooLarge` if there are more bytes.
pub fn read_from(from: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    bounded(from, limit, 0)
}

/// [`read_from`] with room for `expected` bytes.
fn bounded(from: impl Read, limit: u64, expected: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(expected).unwrap_or(0));
    from.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(too_large(limit));
    }
    Ok(bytes)
}

fn too_large(limit: u64) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {limit} bytes"))
}

/// The suffix of a temporary file's name: `.RANDOM.ctm-part`.
const PART: &str = ".ctm-part";

/// The number of links to links that are followed, as in Linux.
const MOST_LINKS: usize = 40;

/// Writes a file under a temporary name in its directory and renames it when it is complete, so
/// that the name never refers to an incomplete file. An existing file is replaced; the new one gets
/// its permissions. Any number of processes may write the same file concurrently; the result is the
/// complete file of one of them.
///
/// A link stays a link: its target is replaced or created. Anything else that is not a regular
/// file, a device or a pipe, stays and is written to directly.
///
/// A process that is killed leaves the temporary file: see [`Folders`] and [`sweep`].
///
/// # Errors
/// The error of the system or of `fill`; also for a directory. The old file, if any, is then
/// unchanged, and the temporary one is removed. A device or a pipe may have received a part.
pub fn write_with(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    match Target::of(path)? {
        Target::InPlace { truncate } => {
            let mut file = File::options().write(true).truncate(truncate).open(path)?;
            fill_buffered(&mut file, fill)
        }
        Target::Replaced { file, old } => replace_with(&file, old, fill),
    }
}

/// The kind of write to a path.
enum Target {
    /// Opens the existing file and writes to it.
    InPlace { truncate: bool },
    /// Replaces or creates this file.
    Replaced { file: PathBuf, old: Option<fs::Permissions> },
}

impl Target {
    fn of(path: &Path) -> io::Result<Target> {
        let old = match fs::metadata(path) {
            Ok(meta) if meta.is_file() => Some(meta.permissions()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            // Opening it reports the error; on Windows some devices can be opened nevertheless.
            Ok(_) | Err(_) => return Ok(Target::InPlace { truncate: false }),
        };
        let file = follow(path)?;
        if old.is_some() && !file.is_file() {
            // A link in /proc to a file that no longer has a name.
            return Ok(Target::InPlace { truncate: true });
        }
        Ok(Target::Replaced { file, old })
    }
}

/// The folders that files are written to, each checked and swept once.
#[derive(Debug, Default)]
pub struct Folders {
    seen: Mutex<HashSet<PathBuf>>,
}

impl Folders {
    /// Checks whether a file can be written, as far as that is known in advance: it is not a
    /// directory, and its folder accepts new files. Also [sweeps](sweep) the folder. Devices and
    /// pipes are not tried: opening one may block or have an effect.
    ///
    /// # Errors
    /// As [`write_with`].
    pub fn check(&self, path: &Path) -> io::Result<()> {
        let folder = match Target::of(path)? {
            Target::Replaced { file, .. } => folder_of(&file).to_path_buf(),
            Target::InPlace { .. } if fs::metadata(path).is_ok_and(|meta| !meta.is_dir()) => {
                return Ok(());
            }
            Target::InPlace { .. } => {
                return File::options().write(true).open(path).map(drop);
            }
        };
        let mut seen = self.seen.lock();
        if !seen.contains(&folder) {
            drop(temporary_in(&folder, None)?);
            sweep(&folder);
            seen.insert(folder);
        }
        Ok(())
    }
}

/// Removes temporary files that killed processes left in a folder. Those of running processes are
/// locked and stay. On a file system without locks, all stay.
pub fn sweep(folder: &Path) {
    let temporary = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        name.starts_with(b".")
            && name.ends_with(PART.as_bytes())
            && entry.file_type().is_ok_and(|kind| kind.is_file())
    };
    // A file that cannot be read or removed stays; it does no harm.
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.filter(temporary).map(|entry| entry.path()) {
        if let Ok(file) = File::options().read(true).write(true).open(&path)
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(&path);
        }
    }
}

/// A new file under a unique name. It is locked while it is open, which tells [`sweep`] that its
/// process is still writing it.
fn temporary_in(folder: &Path, old: Option<&fs::Permissions>) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".").suffix(PART);
    #[cfg(unix)]
    {
        // The permissions of any new file: all that the process's umask allows.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(mode(old)));
    }
    #[cfg(not(unix))]
    let _ = old;
    loop {
        let temporary = builder.tempfile_in(folder).map_err(without_path)?;
        // Another process may sweep between the creation and the lock.
        let swept = matches!(temporary.as_file().try_lock(), Err(TryLockError::WouldBlock));
        if !swept && fs::symlink_metadata(temporary.path()).is_ok() {
            return Ok(temporary);
        }
    }
}

/// The folder of a file.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Whether the path is a pipe.
pub fn is_pipe(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        fs::metadata(path).is_ok_and(|meta| meta.file_type().is_fifo())
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// The path of the file at the end of a chain of links, even if that file does not exist. Only the
/// last part of the path is followed.
///
/// # Errors
/// More than 40 links in a row.
pub fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::new(
        io::ErrorKind::InvalidInput,
        "it is a link that leads to more than 40 others",
    ))
}

/// One path for each file, however it is written: the end of its chain of links, in the real
/// folder. It remembers the folders; they must not move meanwhile.
#[derive(Debug, Default)]
pub struct RealPaths {
    folders: HashMap<PathBuf, PathBuf>,
    /// The first path of each existing file: see [`RealPaths::file`].
    #[cfg(unix)]
    files: HashMap<(u64, u64), PathBuf>,
}

impl RealPaths {
    /// The path of this file, which need not exist.
    pub fn of(&mut self, path: &Path) -> PathBuf {
        // Writing follows links; a chain that is too long is an error when the job runs.
        let path = &follow(path).unwrap_or_else(|_| path.to_path_buf());
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return path.to_path_buf();
        };
        if let Some(real) = self.folders.get(folder) {
            return real.join(name);
        }
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        // A missing folder has no existing files, so any form of its path will do.
        let real = here.canonicalize().unwrap_or_else(|_| here.to_path_buf());
        self.folders.insert(folder.to_path_buf(), real.clone());
        real.join(name)
    }

    /// As [`RealPaths::of`], but all names of an existing file have one path: hard links, too. Until the last
    /// call no file may be replaced, since the system may give a new file the number of an old one.
    pub fn file(&mut self, path: &Path) -> PathBuf {
        let real = self.of(path);
        #[cfg(unix)]
        if let Ok(data) = fs::metadata(&real)
            && data.is_file()
        {
            use std::os::unix::fs::MetadataExt;
            return self.files.entry((data.dev(), data.ino())).or_insert(real).clone();
        }
        real
    }
}

/// Writes a temporary file and renames it to `path`, whatever is there, even a link or a device.
fn replace_with(
    path: &Path,
    old: Option<fs::Permissions>,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut temporary = temporary_in(folder_of(path), old.as_ref())?;
    fill_buffered(temporary.as_file_mut(), fill)?;
    keep_permissions(temporary.as_file(), old)?;
    temporary.persist(path).map_err(|e| e.error)?;
    Ok(())
}

/// The system's error about a temporary file, without the file's meaningless name.
fn without_path(error: io::Error) -> io::Error {
    match error.to_string().split_once(" at path ") {
        Some((said, _)) => io::Error::new(error.kind(), said),
        None => error,
    }
}

/// The mode bits for a new file that replaces one with these permissions.
#[cfg(unix)]
fn mode(old: Option<&fs::Permissions>) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    old.map_or(0o666, |old| old.mode() & 0o777)
}

/// Gives a new file the permissions of the one it replaces, regardless of the umask.
fn keep_permissions(file: &File, old: Option<fs::Permissions>) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(old) = old {
        use std::os::unix::fs::PermissionsExt;
        return file.set_permissions(fs::Permissions::from_mode(mode(Some(&old))));
    }
    // Other systems have only "read-only", and a file that can be replaced is not read-only.
    let _ = (file, old);
    Ok(())
}

fn fill_buffered(
    file: &mut File,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut buffered = io::BufWriter::new(file);
    fill(&mut buffered)?;
    buffered.flush()
}

/// Writes a file as [`write()`] does, but replaces whatever has the name: it follows no link and
/// writes to no device. For the program's own files.
///
/// # Errors
/// As [`write_with`].
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    sweep(folder_of(path));
    replace_with(path, None, |w| w.write_all(bytes))
}

/// [`write_with`] for bytes, in a folder that is [swept](sweep) first.
///
/// # Errors
/// As [`write_with`].
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Target::Replaced { file, .. } = Target::of(path)? {
        sweep(folder_of(&file));
    }
    write_with(path, |w| w.write_all(bytes))
}

#[cfg(test)]
mod tests;
