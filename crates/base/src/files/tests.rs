use super::*;

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
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
