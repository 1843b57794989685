//! Files, read with a bound and written whole or not at all.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Reads a regular file of at most `limit` bytes.
///
/// # Errors
/// What the system says; `InvalidInput` for directories and devices, `FileTooLarge` for a file
/// over the limit.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let meta = fs::metadata(path)?;
    if !meta.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    if meta.len() > limit {
        return Err(too_large(limit));
    }
    bounded(File::open(path)?, limit, meta.len())
}

/// Reads at most `limit` bytes: what [`read`] does, from anywhere.
///
/// # Errors
/// What the system says; `FileTooLarge` if there are more.
pub fn read_from(from: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    bounded(from, limit, 0)
}

/// [`read_from`] where so many bytes are expected.
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

/// Under which name a file is written before it gets its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Temporary {
    /// One that no other file has: any number of processes may write the same file at a time. If
    /// the process is killed meanwhile, the temporary file stays behind.
    Unique,
    /// Always the same one for a file, `.NAME.ctm-part`: writing the file again also does away
    /// with what a killed process left of it. Only one process at a time may write the file.
    Fixed,
}

/// Longest name, in bytes, that gets a fixed temporary name; systems take 255.
const LONGEST_FIXED: usize = 240;

/// How many links to links are followed: as many as Linux does.
const MOST_LINKS: usize = 40;

/// Writes a file under a temporary name in its directory and renames it when it is complete, so
/// that nobody ever sees half of it under its own name. An existing file is replaced; the new one
/// has its permissions.
///
/// A link stays a link: the file that it leads to is replaced, or made. What is there and is no
/// regular file, a device or a pipe, stays what it is: it is written to as it stands.
///
/// # Errors
/// What the system or `fill` says, for a directory as well; the old file, if there was one, is
/// then unchanged, and the temporary one is removed. A device or a pipe may have got a part.
pub fn write_with(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    write_under(path, Temporary::Unique, fill)
}

/// [`write_with`], with a choice of the temporary name.
///
/// # Errors
/// As [`write_with`].
pub fn write_under(
    path: &Path,
    name: Temporary,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let regular = match fs::metadata(path) {
        Ok(meta) => meta.is_file().then_some(Some(meta.permissions())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Some(None),
        // Opening it will say what is wrong; some devices of Windows can be opened all the same.
        Err(_) => None,
    };
    let Some(old) = regular else {
        return write_in_place(path, false, fill);
    };
    let target = follow(path)?;
    if old.is_some() && !target.is_file() {
        // A link in /proc to a file that has no name any more.
        return write_in_place(path, true, fill);
    }
    replace_under(&target, name, old, fill)
}

/// Where a path ends that may be a link, or a link to a link: the path of the file itself, also of
/// one that is not there yet. Only the last part of the path is followed.
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

/// One path for a file, however it is written: where it ends if it is a link, the real folder and
/// the name. It keeps the folders that it has seen: none may move meanwhile.
#[derive(Debug, Default)]
pub struct RealPaths {
    folders: HashMap<PathBuf, PathBuf>,
}

impl RealPaths {
    /// The path of this file, which need not be there.
    pub fn of(&mut self, path: &Path) -> PathBuf {
        // Writing follows links; one that leads nowhere is an error when the job runs.
        let path = &follow(path).unwrap_or_else(|_| path.to_path_buf());
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return path.to_path_buf();
        };
        if let Some(real) = self.folders.get(folder) {
            return real.join(name);
        }
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        // A folder that is not there has no files that are: any form will do.
        let real = here.canonicalize().unwrap_or_else(|_| here.to_path_buf());
        self.folders.insert(folder.to_path_buf(), real.clone());
        real.join(name)
    }
}

/// Writes to what is there, as it stands.
fn write_in_place(
    path: &Path,
    truncate: bool,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut file = File::options().write(true).truncate(truncate).open(path)?;
    fill_buffered(&mut file, fill)
}

/// Puts a file in the place of whatever has the name, a link or a device too.
fn replace_under(
    path: &Path,
    name: Temporary,
    old: Option<fs::Permissions>,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let fixed =
        path.file_name().filter(|file| name == Temporary::Fixed && file.len() <= LONGEST_FIXED);
    if let Some(file) = fixed {
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(file);
        hidden.push(".ctm-part");
        return write_fixed(path, &path.with_file_name(hidden), old, fill);
    }
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".ctm-").suffix(".part");
    #[cfg(unix)]
    {
        // As any new file has them: all that the process's umask lets through.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(mode(old.as_ref())));
    }
    let mut temporary = builder.tempfile_in(directory).map_err(without_path)?;
    fill_buffered(temporary.as_file_mut(), fill)?;
    keep_permissions(temporary.as_file(), old)?;
    temporary.persist(path).map_err(|e| e.error)?;
    Ok(())
}

/// What the system says of a temporary file, without the file's name, which nobody has asked for.
fn without_path(error: io::Error) -> io::Error {
    match error.to_string().split_once(" at path ") {
        Some((said, _)) => io::Error::new(error.kind(), said),
        None => error,
    }
}

/// Mode bits to make a file with that takes the place of one with these permissions.
#[cfg(unix)]
fn mode(old: Option<&fs::Permissions>) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    old.map_or(0o666, |old| old.mode() & 0o777)
}

/// Gives a new file the permissions of the one whose place it takes; the umask does not count.
fn keep_permissions(file: &File, old: Option<fs::Permissions>) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(old) = old {
        use std::os::unix::fs::PermissionsExt;
        return file.set_permissions(fs::Permissions::from_mode(mode(Some(&old))));
    }
    // Elsewhere there is only "read-only", which a file that can be replaced is not.
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

fn write_fixed(
    path: &Path,
    temporary: &Path,
    old: Option<fs::Permissions>,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    // What was left may have other permissions. If it cannot go, making the new one says so.
    let _ = fs::remove_file(temporary);
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(mode(old.as_ref()));
    }
    let written = options
        .open(temporary)
        .and_then(|mut file| {
            fill_buffered(&mut file, fill)?;
            keep_permissions(&file, old)
        })
        .and_then(|()| fs::rename(temporary, path));
    if written.is_err() {
        // The first error is the one that says what is wrong.
        let _ = fs::remove_file(temporary);
    }
    written
}

/// Writes a file as [`write()`] does, but in the place of whatever has the name: no link is
/// followed, and nothing is written to a device. For files of the program's own.
///
/// # Errors
/// As [`write_with`].
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_under(path, Temporary::Unique, None, |w| w.write_all(bytes))
}

/// [`write_with`] for bytes at hand.
///
/// # Errors
/// As [`write_with`].
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
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
    fn a_fixed_temporary_name_takes_over_what_was_left() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.npy");
        fs::write(dir.path().join(".out.npy.ctm-part"), [7; 1000]).unwrap();
        write_under(&path, Temporary::Fixed, |w| {
            assert_eq!(names(dir.path()), [".out.npy.ctm-part"]);
            w.write_all(b"short")
        })
        .unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"short");
        assert_eq!(names(dir.path()), ["out.npy"]);
        let error = write_under(&path, Temporary::Fixed, |w| {
            w.write_all(&[1; 100_000])?;
            Err(io::Error::other("interrupted"))
        });
        assert_eq!(error.unwrap_err().to_string(), "interrupted");
        assert_eq!(fs::read(&path).unwrap(), b"short");
        assert_eq!(names(dir.path()), ["out.npy"]);
        let long = dir.path().join("n".repeat(250));
        write_under(&long, Temporary::Fixed, |w| w.write_all(b"long")).unwrap();
        assert_eq!(fs::read(&long).unwrap(), b"long");
    }

    #[test]
    fn reading_is_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        write(&path, b"12345").unwrap();
        assert_eq!(read(&path, 5).unwrap(), b"12345");
        assert_eq!(read(&path, 4).unwrap_err().to_string(), "it is larger than 4 bytes");
        assert_eq!(read(dir.path(), 4).unwrap_err().to_string(), "it is no regular file");
    }

    #[cfg(unix)]
    mod unix {
        use super::*;
        use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};

        const NAMES: [Temporary; 2] = [Temporary::Unique, Temporary::Fixed];

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
            for (n, name) in NAMES.into_iter().enumerate() {
                for to in ["pipe", "link"] {
                    let bytes = vec![n as u8; 200_000];
                    let from = path.clone();
                    let reader = std::thread::spawn(move || fs::read(from).unwrap());
                    write_under(&dir.path().join(to), name, |w| w.write_all(&bytes)).unwrap();
                    // Before the reader is waited for: of a file it would never hear.
                    assert!(fs::symlink_metadata(&path).unwrap().file_type().is_fifo());
                    assert!(reader.join().unwrap() == bytes, "{name:?} {to}");
                    assert_eq!(names(dir.path()), ["link", "pipe"]);
                }
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
            // The first time there is nothing where the link leads.
            for name in [Temporary::Unique, Temporary::Fixed, Temporary::Unique] {
                write_under(&link, name, |w| {
                    // The temporary file is where the file is: they must be on one disk.
                    assert!(names(&folder).iter().any(|name| name.starts_with(".")));
                    w.write_all(&[1; 10])
                })
                .unwrap();
                assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
                assert!(fs::symlink_metadata(&file).unwrap().is_file());
                assert_eq!(fs::read(&file).unwrap(), [1; 10]);
                assert_eq!(names(&folder), ["out.npy"]);
                assert_eq!(names(dir.path()), ["folder", "link", "second"]);
                let error = write_under(&link, name, |w| {
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
            for name in NAMES {
                let error = |to: &str| {
                    write_under(&path(to), name, |w| w.write_all(b"x")).unwrap_err().kind()
                };
                assert_eq!(error("folder"), io::ErrorKind::IsADirectory);
                assert_eq!(error("link"), io::ErrorKind::IsADirectory);
                assert!(write_under(&path("a"), name, |_| Ok(())).is_err());
            }
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
            for name in NAMES {
                let path = dir.path().join(format!("{name:?}"));
                write_under(&path, name, |w| w.write_all(b"new")).unwrap();
                assert_eq!(mode(&path), mode(&other), "{name:?}");
                for bits in [0o600, 0o640, 0o666, 0o755] {
                    set_mode(&path, bits);
                    let dir = dir.path();
                    write_under(&path, name, |w| {
                        // Nobody else may read the temporary file either.
                        let hidden = names(dir).into_iter().find(|n| n.starts_with("."));
                        let open = mode(&dir.join(hidden.unwrap()));
                        assert_eq!(open & !bits, 0, "{name:?}: {open:o}");
                        w.write_all(b"again")
                    })
                    .unwrap();
                    assert_eq!(mode(&path), bits, "{name:?}");
                }
            }
        }
    }
}
