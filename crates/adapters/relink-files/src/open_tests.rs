//! Tests of special files, endless files and limits.

use std::io::Write as _;

use tempfile::TempDir;

use super::*;

/// Reads a file.
fn text(path: &Path, allowed: Allowed) -> io::Result<String> {
    let mut text = String::new();
    open(path, allowed, MAX_WHOLE_BYTES)?.read_to_string(&mut text)?;
    Ok(text)
}

/// Checks the error of reading a file.
#[track_caller]
fn check_refused(path: &Path, allowed: Allowed, expect: &str) {
    let error = text(path, allowed).unwrap_err();
    assert_eq!(error.to_string(), expect, "{}", path.display());
}

#[test]
fn bounded_reader_fails_beyond_its_limit() {
    let mut text = String::new();
    BoundedReader::new(&b"four"[..], 4).read_to_string(&mut text).unwrap();
    assert_eq!(text, "four");
    let error = BoundedReader::new(&b"fifth"[..], 4).read_to_string(&mut text).unwrap_err();
    assert_eq!(error.to_string(), "it is longer than 4 bytes");
}

#[test]
fn open_rejects_sparse_file_over_the_limit() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("sparse");
    File::create(&path).unwrap().set_len(MAX_DOCUMENT_BYTES + 1).unwrap();
    check_refused(&path, Allowed::Regular, "it is longer than 64 MiB");
    let error = open(&path, Allowed::Documents, MAX_DOCUMENT_BYTES).unwrap_err();
    assert_eq!(error.to_string(), "it is longer than 4 GiB");
}

#[cfg(unix)]
mod special {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use super::*;

    /// Creates a named pipe.
    fn pipe(path: &Path) {
        let status = std::process::Command::new("mkfifo").arg(path).status().unwrap();
        assert!(status.success());
    }

    #[test]
    fn open_rejects_symlink_to_special_file() {
        let directory = TempDir::new().unwrap();
        let path_of = |name: &str| directory.path().join(name);
        pipe(&path_of("pipe"));
        let _socket = UnixListener::bind(path_of("socket")).unwrap();
        for (target, kind) in [
            (Path::new("/dev/null"), "a character device"),
            (Path::new("/dev/zero"), "a character device"),
            (&path_of("pipe"), "a pipe"),
            (&path_of("socket"), "a socket"),
            (directory.path(), "a directory"),
        ] {
            let link = path_of("link.md");
            symlink(target, &link).unwrap();
            let expect = format!("it is {kind}, not a regular file");
            check_refused(&link, Allowed::Documents, &expect);
            check_refused(&link, Allowed::Regular, &expect);
            std::fs::remove_file(&link).unwrap();
        }
    }

    #[test]
    fn open_reads_pipe_supplied_by_the_user() {
        let directory = TempDir::new().unwrap();
        let path = directory.path().join("pipe");
        pipe(&path);
        check_refused(&path, Allowed::Regular, "it is a pipe, not a regular file");
        let writer = path.clone();
        let writer_thread = std::thread::spawn(move || {
            OpenOptions::new().write(true).open(writer).unwrap().write_all(b"text").unwrap();
        });
        assert_eq!(text(&path, Allowed::Documents).unwrap(), "text");
        writer_thread.join().unwrap();
    }

    #[test]
    fn open_limits_device_supplied_by_the_user() {
        assert_eq!(text(Path::new("/dev/null"), Allowed::Documents).unwrap(), "");
        let error = text(Path::new("/dev/zero"), Allowed::Documents).unwrap_err();
        assert_eq!(error.to_string(), "it is longer than 64 MiB");
        let expect = "it is a character device, not a regular file";
        check_refused(Path::new("/dev/null"), Allowed::Regular, expect);
    }

    #[test]
    fn open_reads_symlink_to_regular_file() {
        let directory = TempDir::new().unwrap();
        let (target, link) = (directory.path().join("a"), directory.path().join("b"));
        std::fs::write(&target, "text").unwrap();
        symlink(&target, &link).unwrap();
        assert_eq!(text(&link, Allowed::Regular).unwrap(), "text");
    }
}
