//! The wiki software MediaWiki on 127.0.0.1, with PHP's own web server and SQLite.
//!
//! `./test` installs MediaWiki. Without MediaWiki, the tests that need it fail. They are not
//! skipped.
//! The accounts are `Admin`, `RelinkBot` (a bot) and `Editor`.

use std::env;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use tempfile::TempDir;

/// The environment variable with the directory of the installation.
const VARIABLE: &str = "RELINK_TEST_MEDIAWIKI";
/// The directory used by `./test`, below the user's cache directory.
const DEFAULT_PATH: &str = "relink-test/mediawiki-1.39-2";
/// The number and interval of polls before a test fails: 20 seconds in total.
const POLLS: u32 = 1_000;
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The title of the page that the root URL of a wiki shows.
const MAIN_PAGE: &str = "Main Page";

/// The password of all accounts.
pub const PASSWORD: &str = "a-long-test-password";

/// A running wiki. Stops when dropped.
#[derive(Debug)]
pub struct MediaWikiServer {
    /// The web server of PHP. It is `None` while the pages are imported.
    web_server: Option<Child>,
    port: u16,
    directory: TempDir,
}

impl MediaWikiServer {
    /// Starts a wiki with these pages, given by title and wikitext.
    ///
    /// # Panics
    ///
    /// Panics if MediaWiki is not installed or does not start, or if a title contains `/`.
    pub fn start(pages: &[(String, String)]) -> Self {
        let root = installation();
        assert!(root.join("complete").exists(), "run `./test` once to install MediaWiki");
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        copy_directory(&root.join("data"), &directory.path().join("data"));
        let port = free_port();
        let mut wiki = Self { web_server: None, port, directory };
        wiki.import(pages);
        let mut command = wiki.php();
        command
            .args(["-d", "memory_limit=512M", "-S", &format!("127.0.0.1:{port}"), "-t"])
            .arg(root.join("w"))
            .env("PHP_CLI_SERVER_WORKERS", "4")
            .process_group(0);
        wiki.web_server = Some(command.spawn().expect("install `php-cli`"));
        for _ in 0..POLLS {
            if TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
                return wiki;
            }
            sleep(POLL_INTERVAL);
        }
        panic!("MediaWiki does not listen");
    }

    /// Returns the URL of the API.
    pub fn api(&self) -> String {
        format!("http://127.0.0.1:{}/api.php", self.port)
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the current wikitext of a page.
    ///
    /// # Panics
    ///
    /// Panics if the page does not exist.
    pub fn text(&self, title: &str) -> String {
        let output = self.run_maintenance_script("getText.php", &[title], "");
        assert!(!output.is_empty(), "the page `{title}` does not exist");
        output
    }

    /// Saves a page as a user.
    pub fn edit(&self, user: &str, title: &str, text: &str) {
        self.run_maintenance_script(
            "edit.php",
            &["--user", user, "--summary", "test", title],
            text,
        );
    }

    /// Allows only administrators to edit a page.
    pub fn protect(&self, title: &str) {
        self.run_maintenance_script(
            "protect.php",
            &["--user", "Admin", "--reason", "test", title],
            "",
        );
    }

    /// Returns the rows of a query of the database, as text with `|` between columns.
    pub fn sql(&self, query: &str) -> String {
        self.run_maintenance_script("sql.php", &["--query", query], "")
    }

    /// Imports pages as `Editor`.
    fn import(&self, pages: &[(String, String)]) {
        let files = self.directory.path().join("pages");
        fs::create_dir(&files).expect("the directory is writable");
        let mut paths = Vec::new();
        // The main page that MediaWiki installs links to web sites, which tests must not
        // contact.
        if !pages.iter().any(|(title, _)| title == MAIN_PAGE) {
            paths.push(write_page(&files, MAIN_PAGE, "Welcome."));
        }
        paths.extend(pages.iter().map(|(title, text)| write_page(&files, title, text)));
        for batch in paths.chunks(100) {
            let mut arguments = vec!["--user", "Editor", "--overwrite"];
            arguments.extend(batch.iter().map(|path| path.to_str().expect("the path is UTF-8")));
            self.run_maintenance_script("importTextFiles.php", &arguments, "");
        }
    }

    /// Runs a maintenance script and returns its output.
    fn run_maintenance_script(&self, script: &str, arguments: &[&str], input: &str) -> String {
        let mut child = self
            .php()
            .arg(installation().join("w/maintenance").join(script))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("install `php-cli`");
        let mut stdin = child.stdin.take().expect("stdin is piped");
        stdin.write_all(input.as_bytes()).expect("the script reads its input");
        drop(stdin);
        let mut output = String::new();
        let mut stdout = child.stdout.take().expect("stdout is piped");
        stdout.read_to_string(&mut output).expect("the output is UTF-8");
        let status = child.wait().expect("the script ends");
        assert!(status.success(), "{script} {arguments:?}: {output}");
        output
    }

    /// Returns a command that runs PHP for this wiki.
    fn php(&self) -> Command {
        let mut command = Command::new("php");
        command
            .env("WIKI_DATA", self.directory.path().join("data"))
            .env("WIKI_SERVER", format!("http://127.0.0.1:{}", self.port))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }
}

impl Drop for MediaWikiServer {
    fn drop(&mut self) {
        let Some(web_server) = &mut self.web_server else { return };
        // The process group contains the workers of the web server.
        let group = format!("-{}", web_server.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
        let _ = web_server.wait();
    }
}

/// Writes the text of a page to a file and returns its path. MediaWiki derives the title
/// from the file name.
fn write_page(directory: &Path, title: &str, text: &str) -> PathBuf {
    assert!(!title.contains('/'), "the title `{title}` contains `/` and cannot be a file name");
    let path = directory.join(format!("{title}.txt"));
    fs::write(&path, text).expect("the directory is writable");
    path
}

/// Returns the directory of the installation.
fn installation() -> PathBuf {
    if let Some(path) = env::var_os(VARIABLE) {
        return PathBuf::from(path);
    }
    let default_cache = || Some(Path::new(&env::var_os("HOME")?).join(".cache"));
    let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(default_cache);
    cache.unwrap_or_default().join(DEFAULT_PATH)
}

/// Copies a directory with its subdirectories.
fn copy_directory(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("the directory is writable");
    for entry in fs::read_dir(from).expect("the installation is readable") {
        let entry = entry.expect("the installation is readable");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_directory(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("the file can be copied");
        }
    }
}

/// Returns a port that is free now.
fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a free port");
    listener.local_addr().expect("a bound socket has an address").port()
}
