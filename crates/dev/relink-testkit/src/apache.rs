//! The web server Apache with PHP on 127.0.0.1, and fail2ban's filters for its log.
//!
//! `./test` installs Apache, PHP and fail2ban. Without these programs, the tests that need them
//! fail. Unlike Apache by default, the server also logs requests for files that do not exist.

use std::fs;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use tempfile::TempDir;

/// The directory of Apache's modules on Debian.
const MODULES: &str = "/usr/lib/apache2/modules";
/// The directory of fail2ban's filters.
const FILTERS: &str = "/etc/fail2ban/filter.d";
/// The number and interval of polls before a test fails: 5 seconds in total.
const POLLS: u32 = 500;
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// A running server. Stops when dropped.
#[derive(Debug)]
pub struct Apache {
    process: Child,
    port: u16,
    directory: TempDir,
}

impl Apache {
    /// Starts a server with these files, given by path and content.
    ///
    /// # Panics
    ///
    /// Panics if Apache or PHP is not installed, or does not start.
    pub fn start(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        // Apache reads the files as another user.
        Command::new("chmod").arg("755").arg(directory.path()).status().expect("chmod exists");
        let root = directory.path().join("root");
        fs::create_dir(&root).expect("the directory is writable");
        for (path, content) in files {
            let file = root.join(path.trim_start_matches('/'));
            let parent = file.parent().expect("a file has a directory");
            fs::create_dir_all(parent).expect("the directory is writable");
            fs::write(&file, content).expect("the directory is writable");
        }
        let port = free_port();
        let configuration_file = directory.path().join("apache.conf");
        fs::write(&configuration_file, configuration(directory.path(), port))
            .expect("the directory is writable");
        let process = launch(&configuration_file, port);
        Self { process, port, directory }
    }

    /// Returns the URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Returns the error log.
    ///
    /// # Panics
    ///
    /// Panics if the log cannot be read.
    pub fn error_log(&self) -> String {
        fs::read_to_string(self.log_path()).expect("Apache writes its log")
    }

    /// Returns the number of lines of the error log that a filter of fail2ban
    /// matches, such as `apache-noscript`.
    ///
    /// # Panics
    ///
    /// Panics if fail2ban is not installed.
    pub fn banned_lines(&self, filter: &str) -> u32 {
        let filter = Path::new(FILTERS).join(format!("{filter}.conf"));
        let output = Command::new("fail2ban-regex")
            .arg(self.log_path())
            .arg(filter)
            .output()
            .unwrap_or_else(|error| panic!("install `fail2ban`: {error}"));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let line = text.lines().find(|line| line.starts_with("Lines:"));
        let line = line.unwrap_or_else(|| panic!("fail2ban-regex counts lines: {text}"));
        let matched = line.split(", ").find_map(|part| part.strip_suffix(" matched"));
        matched.and_then(|count| count.parse().ok()).expect("fail2ban-regex counts matches")
    }

    /// Returns the path of the error log.
    fn log_path(&self) -> PathBuf {
        self.directory.path().join("error.log")
    }
}

impl Drop for Apache {
    fn drop(&mut self) {
        // With SIGTERM, Apache also ends its child processes.
        let _ = Command::new("kill").arg(self.process.id().to_string()).status();
        let _ = self.process.wait();
    }
}

/// Returns a port that is free now.
fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a free port");
    listener.local_addr().expect("a bound socket has an address").port()
}

/// Starts the program and waits until it listens.
fn launch(configuration: &Path, port: u16) -> Child {
    let mut process = Command::new("/usr/sbin/apache2")
        .arg("-f")
        .arg(configuration)
        .arg("-DFOREGROUND")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // When Apache ends, it ends all processes of its group. The tests must not be in
        // this group.
        .process_group(0)
        .spawn()
        .unwrap_or_else(|error| panic!("install `apache2`: {error}"));
    for _ in 0..POLLS {
        if TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return process;
        }
        sleep(POLL_INTERVAL);
    }
    let _ = process.kill();
    let _ = process.wait();
    panic!("Apache does not listen");
}

/// Returns the path of the PHP module, whose name contains its version.
fn php_module() -> PathBuf {
    let modules = fs::read_dir(MODULES).expect("install `libapache2-mod-php`");
    let paths = modules.filter_map(|entry| Some(entry.ok()?.path()));
    let is_php = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libphp"))
    };
    paths.into_iter().find(is_php).expect("install `libapache2-mod-php`")
}

/// Returns the configuration file.
fn configuration(directory: &Path, port: u16) -> String {
    let modules = [
        ("mpm_prefork", "mod_mpm_prefork.so"),
        ("authz_core", "mod_authz_core.so"),
        ("mime", "mod_mime.so"),
        ("dir", "mod_dir.so"),
        ("alias", "mod_alias.so"),
        ("cgi", "mod_cgi.so"),
    ];
    let modules =
        modules.map(|(name, file)| format!("LoadModule {name}_module {MODULES}/{file}\n"));
    let (modules, php, directory) = (modules.concat(), php_module(), directory.display());
    format!(
        "ServerName 127.0.0.1
        Listen 127.0.0.1:{port}
        {modules}
        LoadModule php_module {}
        TypesConfig /etc/mime.types
        User www-data
        Group www-data
        LogLevel info
        PidFile {directory}/apache.pid
        ErrorLog {directory}/error.log
        DocumentRoot {directory}/root
        DirectoryIndex index.php index.html
        ScriptAlias /cgi-bin/ {directory}/root/cgi-bin/
        <FilesMatch \"\\.php$\">
            SetHandler application/x-httpd-php
        </FilesMatch>\n",
        php.display()
    )
}
