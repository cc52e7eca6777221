//! A sandbox for `relink`: an empty project and a separate home directory. The methods of
//! [`CommandOutput`] check the exit code and parse the output.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

/// Flags without delays: no interval between requests, no retries.
pub const NO_DELAYS: &[&str] = &["--host-interval", "0", "--retries", "0"];

/// Maximum run time. The slowest runs take a few seconds on an idle machine.
const DEADLINE: Duration = Duration::from_mins(2);

/// A project and a home directory in a temporary directory.
pub struct Sandbox {
    dir: TempDir,
}

impl Sandbox {
    /// Creates a sandbox, which is deleted when dropped.
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("project")).unwrap();
        Self { dir }
    }

    /// Returns the path of a file in the project.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join("project").join(name)
    }

    /// Returns the path of the home directory.
    pub fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    /// Writes a file of the project.
    pub fn write(&self, name: &str, text: &str) -> &Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    /// Writes a list of URLs, one per line.
    pub fn write_urls<T: AsRef<str>>(
        &self,
        name: &str,
        urls: impl IntoIterator<Item = T>,
    ) -> &Self {
        let mut lines = String::new();
        for url in urls {
            lines.extend([url.as_ref(), "\n"]);
        }
        self.write(name, &lines)
    }

    /// Writes the user's own configuration file.
    pub fn write_user_config(&self, text: &str) -> &Self {
        let dir = self.home().join("config/relink");
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("config.toml"), text).unwrap();
        self
    }

    /// Reads a file of the project.
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Returns `relink` with these arguments, in the project, isolated from the
    /// environment of the machine.
    pub fn command(&self, args: &[&str]) -> Command {
        self.isolated(Command::new(env!("CARGO_BIN_EXE_relink")), args)
    }

    /// Adds these arguments to any command and isolates it like `relink`.
    pub fn isolated(&self, mut command: Command, args: &[&str]) -> Command {
        for (name, _) in std::env::vars_os() {
            let upper = name.to_string_lossy().to_ascii_uppercase();
            let is_setting = upper.starts_with("RELINK_") || upper.ends_with("_PROXY");
            if is_setting || name == "CI" || name == "NO_COLOR" {
                command.env_remove(name);
            }
        }
        command
            .args(args)
            .current_dir(self.path(""))
            .env("HOME", self.home())
            .env("XDG_DATA_HOME", self.home().join("data"))
            .env("XDG_CONFIG_HOME", self.home().join("config"))
            .stdin(Stdio::null());
        command
    }

    /// Runs `relink` to its end. A run that hangs fails the test.
    #[track_caller]
    pub fn run(&self, args: &[&str]) -> CommandOutput {
        run_to_end(&mut self.command(args))
    }

    /// Runs `relink` as if it were started at `now`.
    #[track_caller]
    pub fn run_at(&self, now: &str, args: &[&str]) -> CommandOutput {
        run_to_end(self.command(args).env("RELINK_NOW", now))
    }

    /// Runs `relink check` without delays. The output is JSON lines.
    pub fn check(&self, args: &[&str]) -> CommandOutput {
        self.run(&jsonl_args(args))
    }

    /// Runs `relink check` without delays. The output is the text report for users.
    pub fn check_human(&self, args: &[&str]) -> CommandOutput {
        self.run(&[CHECK, NO_DELAYS, args].concat())
    }

    /// Runs [`Self::check`] as if it were `now`.
    pub fn check_at(&self, now: &str, args: &[&str]) -> CommandOutput {
        self.run_at(now, &jsonl_args(args))
    }

    /// Runs [`Self::check`] with links from standard input.
    pub fn check_stdin(&self, input: &str, args: &[&str]) -> CommandOutput {
        let mut command = self.command(&jsonl_args(args));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        CommandOutput::new(&child.wait_with_output().unwrap())
    }

    /// Starts [`Self::check`]. The test can read the results while the check runs.
    pub fn spawn_check(&self, args: &[&str]) -> Running {
        self.spawn(&jsonl_args(args))
    }

    /// Starts `relink` with these arguments. The test can read the results while `relink` runs.
    pub fn spawn(&self, args: &[&str]) -> Running {
        let mut command = self.command(args);
        Running::new(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    }
}

/// Runs a program to its end, and kills it after [`DEADLINE`].
#[track_caller]
fn run_to_end(command: &mut Command) -> CommandOutput {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let id = child.id();
    // Dropping the sender ends the watchdog.
    let (end_sender, end_receiver) = std::sync::mpsc::channel::<()>();
    let watchdog = std::thread::spawn(move || {
        let is_late = end_receiver.recv_timeout(DEADLINE) == Err(RecvTimeoutError::Timeout);
        if is_late {
            let _ = Command::new("kill").args(["-KILL", &id.to_string()]).status();
        }
        is_late
    });
    let result = CommandOutput::new(&child.wait_with_output().unwrap());
    drop(end_sender);
    let is_late = watchdog.join().unwrap();
    assert!(!is_late, "still running after {DEADLINE:?}\n{}\n{}", result.stdout, result.stderr);
    result
}

/// The arguments of `relink check` with the database of the sandbox.
pub const CHECK: &[&str] = &["check", "--db", "relink.db"];

/// Returns the arguments of a check without delays that prints JSON lines.
fn jsonl_args<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [CHECK, NO_DELAYS, &["--format", "jsonl"], args].concat()
}

/// The output and the exit code of a program.
#[derive(Debug)]
pub struct CommandOutput {
    pub exit_code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl CommandOutput {
    /// Converts the output of a finished program.
    pub fn new(output: &Output) -> Self {
        Self {
            // A program ended by a signal has no exit code.
            exit_code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout.clone()).unwrap(),
            stderr: String::from_utf8(output.stderr.clone()).unwrap(),
        }
    }

    /// Asserts the exit code.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.exit_code, code, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Parses the results of JSON lines.
    #[track_caller]
    pub fn rows(&self) -> Rows {
        Rows { results: self.stdout.lines().map(read_row).collect() }
    }

    /// Asserts the exit code, an empty stdout, and an error message with cause, hint and all
    /// `parts`.
    #[track_caller]
    pub fn fails(self, code: i32, parts: &[&str]) -> Self {
        let result = self.exits(code);
        assert_eq!(result.stdout, "");
        for part in ["error: ", "cause: ", "hint: "].iter().chain(parts) {
            assert!(result.stderr.contains(part), "no `{part}` in:\n{}", result.stderr);
        }
        result
    }
}

/// Parses a line of JSON.
#[track_caller]
fn read_row(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

/// The results of a run.
#[derive(Debug)]
pub struct Rows {
    /// One JSON object per URL, in the order of the output.
    pub results: Vec<Value>,
}

impl Rows {
    /// Returns the only result of a URL.
    #[track_caller]
    pub fn row(&self, url: impl AsRef<str>) -> &Value {
        let url = url.as_ref();
        let found: Vec<&Value> = self.results.iter().filter(|row| row["url"] == url).collect();
        assert_eq!(found.len(), 1, "results for {url} in {self:?}");
        found[0]
    }

    /// Returns the verdict and the code of a URL: `dead RL101`, `alive`.
    #[track_caller]
    pub fn verdict(&self, url: impl AsRef<str>) -> String {
        let row = self.row(url);
        let verdict = row["verdict"].as_str().unwrap();
        row["code"].as_str().map_or(verdict.to_owned(), |code| format!("{verdict} {code}"))
    }

    /// Returns the verdicts of all results without their codes, sorted.
    pub fn verdicts(&self) -> Vec<&str> {
        let mut verdicts: Vec<&str> =
            self.results.iter().map(|row| row["verdict"].as_str().unwrap()).collect();
        verdicts.sort_unstable();
        verdicts
    }

    /// Returns all URLs, sorted.
    pub fn urls(&self) -> Vec<String> {
        let mut urls: Vec<String> =
            self.results.iter().map(|row| row["url"].as_str().unwrap().to_owned()).collect();
        urls.sort();
        urls
    }
}

/// A running program.
pub struct Running {
    child: Child,
    stdout: BufReader<ChildStdout>,
}

impl Running {
    /// Wraps a running program. Its standard output must be piped.
    pub fn new(mut child: Child) -> Self {
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self { child, stdout }
    }

    /// Waits for the next result.
    pub fn next_row(&mut self) -> Value {
        read_row(&self.next_line())
    }

    /// Waits for the next line.
    pub fn next_line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line
    }

    /// Sends SIGINT, as Ctrl-C does.
    pub fn interrupt(&self) {
        self.signal("INT");
    }

    /// Sends a signal.
    pub fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }

    /// Sends SIGKILL.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Closes the stdout of the program and waits for its end.
    pub fn close_stdout(self) -> CommandOutput {
        drop(self.stdout);
        CommandOutput::new(&self.child.wait_with_output().unwrap())
    }

    /// Waits for the end of the program. The result contains only the part of standard output that
    /// was not read before.
    pub fn finish(mut self) -> CommandOutput {
        let mut stdout = String::new();
        self.stdout.read_to_string(&mut stdout).unwrap();
        let output = self.child.wait_with_output().unwrap();
        CommandOutput { stdout, ..CommandOutput::new(&output) }
    }
}
