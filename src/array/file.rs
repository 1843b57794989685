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
    {
        let mut buffered = io::BufWriter::new(temporary.as_file_mut());
        fill(&mut buffered)?;
        buffered.flush()?;
    }
    temporary.persist(path).map_err(|e| e.error)?;
    Ok(())
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
