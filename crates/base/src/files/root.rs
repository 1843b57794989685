//! A folder that confines reading and writing.

use std::fmt::Display;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf, absolute};

/// A folder outside which no file is read or written.
///
/// A path is checked once, against what exists then: other processes must not move files in the
/// folder meanwhile. A hard link to a file elsewhere counts as a file of the folder.
#[derive(Clone, Debug)]
pub struct Root {
    given: PathBuf,
    real: PathBuf,
}

/// The reason of a refused path, human-readable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(String);

impl Root {
    /// Confines to a folder.
    ///
    /// # Errors
    /// If it does not exist, or is not a folder.
    pub fn new(folder: &Path) -> io::Result<Root> {
        // An error if it is a file.
        fs::read_dir(folder)?;
        Root::anywhere(folder)
    }

    /// Confines to a folder that may be one of another machine. As long as it does not exist here,
    /// there is no file in it.
    ///
    /// # Errors
    /// The path is empty, or relative without a current folder.
    pub fn anywhere(folder: &Path) -> io::Result<Root> {
        let given = absolute(folder)?;
        let real = given.canonicalize().unwrap_or_else(|_| given.clone());
        Ok(Root { given, real })
    }

    /// The folder, as an absolute path.
    pub fn folder(&self) -> &Path {
        &self.real
    }

    /// Refuses everything but a regular file in the folder or below, or the path of a new one.
    ///
    /// # Errors
    /// The reason.
    pub fn check(&self, path: &Path) -> Result<(), Refused> {
        match self.walk(path)? {
            Some(meta) if !meta.is_file() => Err(self.refused("it is not a regular file")),
            _ => Ok(()),
        }
    }

    /// [`Root::check`] for a path in a job, which must be relative: to `base`.
    ///
    /// # Errors
    /// The reason.
    pub fn check_in(&self, base: &Path, path: &Path) -> Result<(), Refused> {
        if path.has_root() || path.is_absolute() {
            return Err(self.refused("an absolute path is refused"));
        }
        self.check(&base.join(path))
    }

    /// Refuses a folder that is neither this one nor below it.
    ///
    /// # Errors
    /// The reason.
    pub fn check_folder(&self, path: &Path) -> Result<(), Refused> {
        self.walk(path).map(drop)
    }

    fn refused(&self, why: impl Display) -> Refused {
        Refused(format!("{why}: the root is {}", self.real.display()))
    }

    /// The file at a path, if any.
    fn walk(&self, path: &Path) -> Result<Option<fs::Metadata>, Refused> {
        let outside = || Refused(format!("it is outside the root, {}", self.real.display()));
        let path = absolute(path).map_err(|_| outside())?;
        let below = path
            .strip_prefix(&self.given)
            .or_else(|_| path.strip_prefix(&self.real))
            .map_err(|_| outside())?;
        let mut at = self.real.clone();
        let mut found = fs::symlink_metadata(&at).ok();
        for part in below.components() {
            let Component::Normal(name) = part else {
                return Err(self.refused("a path with \"..\" is refused"));
            };
            at.push(name);
            found = fs::symlink_metadata(&at).ok();
            if found.as_ref().is_some_and(fs::Metadata::is_symlink) {
                let link = at.display();
                return Err(self.refused(format_args!("{link} is a link, which is refused")));
            }
        }
        Ok(found)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_files_below_the_folder_pass() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().canonicalize().unwrap();
        let folder = real.join("folder");
        fs::create_dir_all(folder.join("inner")).unwrap();
        fs::write(folder.join("file"), "").unwrap();
        fs::write(real.join("secret"), "").unwrap();
        symlink("../secret", folder.join("link")).unwrap();
        symlink("file", folder.join("near")).unwrap();
        symlink("..", folder.join("up")).unwrap();
        symlink("folder", real.join("again")).unwrap();
        let made = std::process::Command::new("mkfifo").arg(folder.join("pipe")).status();
        assert!(made.unwrap().success());
        for root in ["folder", "again"] {
            let root = Root::new(&real.join(root)).unwrap();
            let said = |base: &str, path: &str| {
                let checked = root.check_in(&real.join(base), Path::new(path));
                let said = checked.map_or_else(|e| e.to_string(), |()| "passes".to_string());
                said.replace(&format!("{}/", real.display()), "")
            };
            for (path, want) in [
                ("file", "passes"),
                ("./file", "passes"),
                ("inner/new", "passes"),
                ("none/new", "passes"),
                ("/etc/passwd", "an absolute path is refused: the root is folder"),
                ("../secret", "a path with \"..\" is refused: the root is folder"),
                ("inner/../file", "a path with \"..\" is refused: the root is folder"),
                ("none/../../secret", "a path with \"..\" is refused: the root is folder"),
                ("link", "folder/link is a link, which is refused: the root is folder"),
                ("near", "folder/near is a link, which is refused: the root is folder"),
                ("up/secret", "folder/up is a link, which is refused: the root is folder"),
                ("pipe", "it is not a regular file: the root is folder"),
                ("inner", "it is not a regular file: the root is folder"),
                ("", "it is not a regular file: the root is folder"),
            ] {
                assert_eq!(said("folder", path), want, "{path}");
            }
            assert_eq!(said("", "secret"), "it is outside the root, folder");
            assert_eq!(said("folderol", "file"), "it is outside the root, folder");
            assert!(root.check_folder(&folder.join("inner")).is_ok());
            assert!(root.check_folder(&folder).is_ok());
            assert!(root.check_folder(&folder.join("up")).is_err());
            assert!(root.check_folder(&real).is_err());
        }
        assert!(Root::new(&real.join("secret")).is_err());
        assert!(Root::new(&real.join("none")).is_err());
    }
}
