//! Files, read with a bound and written whole or not at all.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

/// Reads a regular file of at most `limit` bytes.
///
/// # Errors
/// What the system says; `InvalidInput` for directories and devices, `FileTooLarge` for a file
/// over the limit.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let meta = fs::metadata(path)?;
    if !meta.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is no regular file",
        ));
    }
    let too_large = || {
        io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it is larger than {limit} bytes"),
        )
    };
    if meta.len() > limit {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or(0));
    File::open(path)?
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(too_large());
    }
    Ok(bytes)
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

/// Writes a file under a temporary name in its directory and renames it when it is complete, so
/// that nobody ever sees half of it under its own name. An existing file is replaced.
///
/// # Errors
/// What the system or `fill` says; the old file, if there was one, is then unchanged, and the
/// temporary one is removed.
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
    let fixed = path
        .file_name()
        .filter(|file| name == Temporary::Fixed && file.len() <= LONGEST_FIXED);
    if let Some(file) = fixed {
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(file);
        hidden.push(".ctm-part");
        return write_fixed(path, &path.with_file_name(hidden), fill);
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
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut temporary = builder.tempfile_in(directory)?;
    fill_buffered(temporary.as_file_mut(), fill)?;
    temporary.persist(path).map_err(|e| e.error)?;
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
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let written = File::create(temporary)
        .and_then(|mut file| fill_buffered(&mut file, fill))
        .and_then(|()| fs::rename(temporary, path));
    if written.is_err() {
        // The first error is the one that says what is wrong.
        let _ = fs::remove_file(temporary);
    }
    written
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
        assert_eq!(
            read(&path, 4).unwrap_err().to_string(),
            "it is larger than 4 bytes"
        );
        assert_eq!(
            read(dir.path(), 4).unwrap_err().to_string(),
            "it is no regular file"
        );
    }
}
