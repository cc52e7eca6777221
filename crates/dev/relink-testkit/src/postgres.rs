//! A private PostgreSQL server on 127.0.0.1.
//!
//! `./test` installs PostgreSQL. Without PostgreSQL, the tests that need it fail. They are not
//! skipped. PostgreSQL refuses to run as root, so root starts the server as the user
//! `postgres`. The server stops when the test process ends for any reason.

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// The environment variable with the directory of the PostgreSQL programs.
const VARIABLE: &str = "RELINK_TEST_POSTGRES";

/// The directory with one directory per version on Debian.
const DEBIAN_ROOT: &str = "/usr/lib/postgresql";

/// The user that runs the server if the tests run as root.
const SERVER_USER: &str = "postgres";

/// A shell script with two arguments: the directory of the programs and the directory of the
/// server. Starts the server, waits until the test process closes its end of the pipe, stops the
/// server and removes its files.
const SUPERVISOR: &str = r#"
"$1/pg_ctl" -D "$2/data" -l "$2/log" -w start >/dev/null || exit 1
echo ready
cat >/dev/null
"$1/pg_ctl" -D "$2/data" -m immediate stop >/dev/null
rm -rf "$2"
"#;

/// Whether the server writes to the disk before it reports a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Commits are lost if the machine crashes. Faster.
    Off,
    /// As in production, for tests that stop the server.
    On,
}

/// A running server.
#[derive(Debug)]
pub struct PostgresServer {
    programs: PathBuf,
    directory: PathBuf,
    port: u16,
    /// The number of schemas and databases created so far.
    schemas: AtomicU32,
    supervisor: Child,
}

/// The server that tests share.
static SHARED: LazyLock<PostgresServer> = LazyLock::new(|| PostgresServer::start(Durability::Off));

impl PostgresServer {
    /// Returns the server that the tests of this process share.
    pub fn shared() -> &'static Self {
        &SHARED
    }

    /// Starts a server with an empty database.
    ///
    /// # Panics
    ///
    /// Panics if PostgreSQL is not installed or does not start.
    pub fn start(durability: Durability) -> Self {
        Self::start_with(durability, "shared_buffers = 32MB")
    }

    /// Starts a server with these lines in its configuration file.
    ///
    /// # Panics
    ///
    /// Panics if PostgreSQL is not installed or does not start.
    pub fn start_with(durability: Durability, settings: &str) -> Self {
        let programs = find_programs();
        let directory = std::env::temp_dir().join(format!(
            "relink-pg-{}-{:x}",
            std::process::id(),
            unique_number()
        ));
        fs::create_dir(&directory).expect("the temporary directory is writable");
        if is_root() {
            run_command(Command::new("chown").arg(SERVER_USER).arg(&directory));
        }
        run_command(
            as_server_user(programs.join("initdb"))
                .args(["-D".as_ref(), directory.join("data").as_os_str()])
                .args(["-U", "relink", "--auth=trust", "--no-sync", "--locale=C", "-E", "UTF8"]),
        );
        let port = free_port();
        configure(&directory, port, durability, settings);
        let supervisor = supervise(&programs, &directory);
        Self { programs, directory, port, schemas: AtomicU32::new(0), supervisor }
    }

    /// Returns the connection URL.
    pub fn url(&self) -> String {
        self.database_url("postgres")
    }

    /// Returns the name of a schema that does not exist yet.
    pub fn new_schema(&self) -> String {
        format!("test_{}", self.schemas.fetch_add(1, Ordering::Relaxed))
    }

    /// Creates an empty database and returns its connection URL.
    pub fn new_database(&self) -> String {
        let name = self.new_schema();
        self.query(&format!("CREATE DATABASE {name}"));
        self.database_url(&name)
    }

    /// Returns the connection URL of a database.
    pub fn database_url(&self, name: &str) -> String {
        format!("postgres://relink@127.0.0.1:{}/{name}", self.port)
    }

    /// Returns a command that runs a program of PostgreSQL, such as `pgbench`.
    pub fn program(&self, name: &str) -> Command {
        Command::new(self.programs.join(name))
    }

    /// Runs a statement and returns its output, with columns separated by `|`.
    ///
    /// # Panics
    ///
    /// Panics if the statement fails.
    pub fn query(&self, sql: &str) -> String {
        self.query_in(&self.url(), sql)
    }

    /// Runs a statement in the database with this URL and returns its output.
    ///
    /// # Panics
    ///
    /// Panics if the statement fails.
    pub fn query_in(&self, url: &str, sql: &str) -> String {
        let output = self
            .program("psql")
            .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", sql, url])
            .output()
            .expect("psql is installed");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Stops the server as an administrator does, and starts it again.
    ///
    /// # Panics
    ///
    /// Panics if the server does not start.
    pub fn restart(&self) {
        run_command(
            as_server_user(self.programs.join("pg_ctl"))
                .args(["-D".as_ref(), self.directory.join("data").as_os_str()])
                .args(["-l".as_ref(), self.directory.join("log").as_os_str()])
                .args(["-m", "fast", "-w", "restart"]),
        );
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        drop(self.supervisor.stdin.take());
        // Ignore errors: the supervisor may have failed.
        let _ = self.supervisor.wait();
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// Returns the directory of the programs: the newest version, unless the
/// environment names one.
fn find_programs() -> PathBuf {
    if let Some(directory) = std::env::var_os(VARIABLE) {
        return directory.into();
    }
    let versions = fs::read_dir(DEBIAN_ROOT).into_iter().flatten().filter_map(Result::ok);
    let newest = versions
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
        .max()
        .unwrap_or_else(|| {
            panic!("PostgreSQL is not installed in {DEBIAN_ROOT}; install `postgresql`, or set {VARIABLE}")
        });
    Path::new(DEBIAN_ROOT).join(newest.to_string()).join("bin")
}

/// Returns a different number for each server of this process.
fn unique_number() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Whether the tests run as root.
fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output().expect("`id` is installed");
    output.stdout.trim_ascii() == b"0"
}

/// Returns a command that runs as the user of the server.
fn as_server_user(program: impl AsRef<OsStr>) -> Command {
    let mut command;
    if is_root() {
        command = Command::new("runuser");
        command.args(["-u", SERVER_USER, "--"]).arg(program);
    } else {
        command = Command::new(program);
    }
    // The server user cannot read the directory of the tests.
    command.current_dir("/");
    command
}

/// Runs a command that must succeed.
fn run_command(command: &mut Command) {
    let output = command.output().expect("the program is installed");
    assert!(
        output.status.success(),
        "{command:?} failed: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Returns a port that is free now.
fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a free port");
    listener.local_addr().expect("a bound socket has an address").port()
}

/// Appends the settings to the configuration file.
fn configure(directory: &Path, port: u16, durability: Durability, settings: &str) {
    let durability = match durability {
        Durability::Off => "fsync = off\nsynchronous_commit = off\nfull_page_writes = off\n",
        Durability::On => "",
    };
    let settings = format!(
        "listen_addresses = '127.0.0.1'\nport = {port}\nunix_socket_directories = ''\n\
         max_connections = 200\n{durability}{settings}\n"
    );
    let file = directory.join("data/postgresql.conf");
    let mut file = OpenOptions::new().append(true).open(file).expect("initdb writes settings");
    file.write_all(settings.as_bytes()).expect("the settings are writable");
}

/// Starts the supervisor and waits until the server is ready.
fn supervise(programs: &Path, directory: &Path) -> Child {
    let mut command = as_server_user("sh");
    command.args(["-c", SUPERVISOR, "sh"]).arg(programs).arg(directory);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut supervisor = command.spawn().expect("`sh` is installed");
    let mut ready = [0; "ready\n".len()];
    let mut output = supervisor.stdout.take().expect("the output is a pipe");
    let result = std::io::Read::read_exact(&mut output, &mut ready);
    if result.is_err() {
        let log = fs::read_to_string(directory.join("log")).unwrap_or_default();
        panic!("PostgreSQL does not start: {log}");
    }
    supervisor
}
