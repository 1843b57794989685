//! Files: bounded reading, and atomic writing.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use tempfile::NamedTempFile;

/// Reads a regular file of at most `limit` bytes.
///
/// # Errors
/// The system's error; `InvalidInput` for directories and devices, `FileTooLarge` for a file over
/// the limit.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let meta = fs::metadata(path)?;
    if !meta.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    if meta.len() > limit {
        return Err(too_large(limit));
    }
    bounded(File::open(path)?, limit, meta.len())
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

/// How to write to a path.
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
        let mut seen = self.seen.lock().unwrap_or_else(|e| e.into_inner());
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
fn folder_of(path: &Path) -> &Path {
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
mod tests {
    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(dir)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.npy");
        write(&path, b"old").unwrap();
        write(&path, b"new contents").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new contents");
        assert_eq!(names(dir.path()), ["out.npy"]);
    }

    #[test]
    fn an_interrupted_write_leaves_the_old_file_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.npy");
        write(&path, b"old").unwrap();
        let error = write_with(&path, |w| {
            w.write_all(&[1; 100_000])?;
            Err(io::Error::other("interrupted"))
        });
        assert_eq!(error.unwrap_err().to_string(), "interrupted");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(dir.path()), ["out.npy"]);
    }

    #[test]
    fn while_a_file_is_written_its_name_shows_the_old_contents() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.npy");
        write_with(&path, |w| {
            w.write_all(&[1; 100_000])?;
            assert!(!path.exists());
            Ok(())
        })
        .unwrap();
        assert_eq!(fs::read(&path).unwrap().len(), 100_000);
    }

    #[test]
    fn two_writers_of_a_file_have_names_of_their_own() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.npy");
        write_with(&path, |outer| {
            outer.write_all(b"outer, ")?;
            write_with(&path, |inner| inner.write_all(b"inner"))?;
            assert_eq!(fs::read(&path).unwrap(), b"inner");
            // Nor does one writer take the other's temporary file for an abandoned one.
            sweep(dir.path());
            outer.write_all(b"whole")
        })
        .unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"outer, whole");
        assert_eq!(names(dir.path()), ["out.npy"]);
    }

    #[test]
    fn what_a_killed_process_left_is_swept() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        let leave = || {
            for name in [".aB3xY9.ctm-part", ".out.npy.ctm-part", "x.ctm-part", ".y"] {
                fs::write(path(name), [7; 1000]).unwrap();
            }
            fs::create_dir_all(path(".folder.ctm-part")).unwrap();
        };
        let kept = [".folder.ctm-part", ".y", "x.ctm-part"];
        leave();
        sweep(dir.path());
        assert_eq!(names(dir.path()), kept);
        leave();
        let folders = Folders::default();
        folders.check(&path("out.npy")).unwrap();
        assert_eq!(names(dir.path()), kept);
        // Each folder is swept once, because it may be large.
        leave();
        folders.check(&path("other.npy")).unwrap();
        assert_eq!(names(dir.path()).len(), 5);
        write(&path("x.ctm-part"), b"x").unwrap();
        assert_eq!(names(dir.path()), kept);
        let held = File::create(path(".held.ctm-part")).unwrap();
        held.lock().unwrap();
        sweep(dir.path());
        assert!(path(".held.ctm-part").exists());
        drop(held);
        sweep(dir.path());
        assert_eq!(names(dir.path()), kept);
    }

    #[test]
    fn what_cannot_be_written_is_known_before() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        write(&path("file"), b"old").unwrap();
        let folders = Folders::default();
        for name in ["file", "new", "file/below", ".", "none/below"] {
            let checked = folders.check(&path(name));
            let written = write_with(&path(name), |_| Err(io::Error::other("not yet")));
            let said = written.unwrap_err().to_string();
            match checked {
                Ok(()) => assert_eq!(said, "not yet", "{name}"),
                Err(error) => assert_eq!(error.to_string(), said, "{name}"),
            }
        }
        assert_eq!(fs::read(path("file")).unwrap(), b"old");
        assert_eq!(names(dir.path()), ["file"]);
    }

    #[test]
    fn reading_is_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        write(&path, b"12345").unwrap();
        assert_eq!(read(&path, 5).unwrap(), b"12345");
        assert_eq!(read(&path, 4).unwrap_err().to_string(), "it is larger than 4 bytes");
        assert_eq!(read(dir.path(), 4).unwrap_err().to_string(), "not a regular file");
    }

    #[cfg(unix)]
    mod unix {
        use super::*;
        use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};

        fn mode(path: &Path) -> u32 {
            fs::metadata(path).unwrap().permissions().mode() & 0o7777
        }

        fn set_mode(path: &Path, mode: u32) {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }

        #[test]
        fn a_pipe_stays_a_pipe() {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("pipe");
            let made = std::process::Command::new("mkfifo").arg(&path).status();
            assert!(made.unwrap().success());
            symlink("pipe", dir.path().join("link")).unwrap();
            for (n, to) in ["pipe", "link"].into_iter().enumerate() {
                let to = dir.path().join(to);
                assert!(is_pipe(&to));
                // Does not wait for a reader.
                Folders::default().check(&to).unwrap();
                let bytes = vec![n as u8; 200_000];
                let from = path.clone();
                let reader = std::thread::spawn(move || fs::read(from).unwrap());
                write_with(&to, |w| w.write_all(&bytes)).unwrap();
                // This comes before the join: if `to` were replaced by a file, the reader would
                // wait forever.
                assert!(fs::symlink_metadata(&path).unwrap().file_type().is_fifo());
                assert!(reader.join().unwrap() == bytes, "{to:?}");
                assert_eq!(names(dir.path()), ["link", "pipe"]);
            }
        }

        #[test]
        fn a_link_stays_a_link() {
            let dir = tempfile::tempdir().unwrap();
            let folder = dir.path().join("folder");
            fs::create_dir(&folder).unwrap();
            let file = folder.join("out.npy");
            let link = dir.path().join("link");
            symlink("second", &link).unwrap();
            symlink("folder/out.npy", dir.path().join("second")).unwrap();
            assert_eq!(follow(&link).unwrap(), file);
            // The first time, the link's target does not exist.
            for _ in 0..2 {
                write_with(&link, |w| {
                    // The temporary file is in the target's folder: both must be on one disk.
                    assert!(names(&folder).iter().any(|name| name.starts_with(".")));
                    w.write_all(&[1; 10])
                })
                .unwrap();
                assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
                assert!(fs::symlink_metadata(&file).unwrap().is_file());
                assert_eq!(fs::read(&file).unwrap(), [1; 10]);
                assert_eq!(names(&folder), ["out.npy"]);
                assert_eq!(names(dir.path()), ["folder", "link", "second"]);
                let error = write_with(&link, |w| {
                    w.write_all(&[2; 100_000])?;
                    Err(io::Error::other("interrupted"))
                });
                assert_eq!(error.unwrap_err().to_string(), "interrupted");
                assert_eq!(fs::read(&file).unwrap(), [1; 10]);
            }
            replace(&link, b"own").unwrap();
            assert!(fs::symlink_metadata(&link).unwrap().is_file());
            assert_eq!(fs::read(&file).unwrap(), [1; 10]);
        }

        #[test]
        fn links_in_a_circle_and_directories_are_refused() {
            let dir = tempfile::tempdir().unwrap();
            let path = |name: &str| dir.path().join(name);
            symlink("b", path("a")).unwrap();
            symlink("a", path("b")).unwrap();
            fs::create_dir(path("folder")).unwrap();
            symlink("folder", path("link")).unwrap();
            let error = |to: &str| {
                let checked = Folders::default().check(&path(to)).unwrap_err();
                let error = write_with(&path(to), |w| w.write_all(b"x")).unwrap_err();
                assert_eq!(checked.to_string(), error.to_string());
                error.kind()
            };
            assert_eq!(error("folder"), io::ErrorKind::IsADirectory);
            assert_eq!(error("link"), io::ErrorKind::IsADirectory);
            error("a");
            assert_eq!(
                follow(&path("a")).unwrap_err().to_string(),
                "it is a link that leads to more than 40 others"
            );
            assert_eq!(names(dir.path()), ["a", "b", "folder", "link"]);
        }

        #[test]
        fn a_file_without_a_name_is_written_as_it_stands() {
            use std::os::fd::AsRawFd;
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("gone");
            fs::write(&path, [7; 1000]).unwrap();
            let mut file = File::open(&path).unwrap();
            fs::remove_file(&path).unwrap();
            let link = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
            if !link.exists() {
                return; // A system without /proc has no such files.
            }
            write(&link, b"short").unwrap();
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).unwrap();
            assert_eq!(bytes, b"short");
            assert_eq!(names(dir.path()), [""; 0]);
        }

        #[test]
        fn permissions_are_those_of_any_new_file_or_of_the_old_one() {
            let dir = tempfile::tempdir().unwrap();
            let other = dir.path().join("other");
            File::create(&other).unwrap();
            let path = dir.path().join("file");
            write_with(&path, |w| w.write_all(b"new")).unwrap();
            assert_eq!(mode(&path), mode(&other));
            for bits in [0o600, 0o640, 0o666, 0o755] {
                set_mode(&path, bits);
                let dir = dir.path();
                write_with(&path, |w| {
                    // Nor may other users read the temporary file.
                    let hidden = names(dir).into_iter().find(|n| n.starts_with("."));
                    let open = mode(&dir.join(hidden.unwrap()));
                    assert_eq!(open & !bits, 0, "{open:o}");
                    w.write_all(b"again")
                })
                .unwrap();
                assert_eq!(mode(&path), bits);
            }
        }
    }
}
