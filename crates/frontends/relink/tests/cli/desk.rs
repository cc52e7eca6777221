//! A desk to work at: an empty project, a home of its own, and `relink`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

/// No waiting that only costs time: no pauses between requests, no retries.
pub const QUICK: &[&str] = &["--host-interval", "0", "--retries", "0"];

/// A run that takes longer hangs: the longest ones take a few seconds on an
/// idle machine.
const DEADLINE: Duration = Duration::from_mins(2);

/// A project in a temporary directory, with a home beside it.
pub struct Desk {
    folder: TempDir,
}

impl Desk {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("project")).unwrap();
        Self { folder }
    }

    /// The path of a file in the project.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("project").join(name)
    }

    /// The home directory.
    pub fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// Writes a file of the project.
    pub fn write(&self, name: &str, text: &str) -> &Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    /// Writes a list, one address a line.
    pub fn list<T: AsRef<str>>(&self, name: &str, urls: impl IntoIterator<Item = T>) -> &Self {
        let mut lines = String::new();
        for url in urls {
            lines.extend([url.as_ref(), "\n"]);
        }
        self.write(name, &lines)
    }

    /// Writes the user's own configuration file.
    pub fn write_user_config(&self, text: &str) -> &Self {
        let folder = self.home().join("config/relink");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("config.toml"), text).unwrap();
        self
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// `relink` with these arguments, in the project, knowing nothing of the
    /// machine it runs on.
    pub fn command(&self, args: &[&str]) -> Command {
        self.tame(Command::new(env!("CARGO_BIN_EXE_relink")), args)
    }

    /// Any program in `relink`'s place.
    pub fn tame(&self, mut command: Command, args: &[&str]) -> Command {
        for (name, _) in std::env::vars_os() {
            let shown = name.to_string_lossy().to_ascii_uppercase();
            let is_ours = shown.starts_with("RELINK_") || shown.ends_with("_PROXY");
            if is_ours || name == "CI" || name == "NO_COLOR" {
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
    pub fn run(&self, args: &[&str]) -> Said {
        run_to_end(&mut self.command(args))
    }

    /// Runs `relink` as if it were started at `now`.
    #[track_caller]
    pub fn run_at(&self, now: &str, args: &[&str]) -> Said {
        run_to_end(self.command(args).env("RELINK_NOW", now))
    }

    /// Checks quickly, with the results as lines of JSON.
    pub fn check(&self, args: &[&str]) -> Said {
        self.run(&rows_of(args))
    }

    /// Checks quickly, with the report for people.
    pub fn report(&self, args: &[&str]) -> Said {
        self.run(&[CHECK, QUICK, args].concat())
    }

    /// Checks at some moment.
    pub fn check_at(&self, now: &str, args: &[&str]) -> Said {
        self.run_at(now, &rows_of(args))
    }

    /// Checks what comes in on standard input.
    pub fn check_stdin(&self, input: &str, args: &[&str]) -> Said {
        let mut command = self.command(&rows_of(args));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        Said::of(&child.wait_with_output().unwrap())
    }

    /// Starts a check whose results can be read while it runs.
    pub fn start(&self, args: &[&str]) -> Running {
        self.begin(&rows_of(args))
    }

    /// Starts `relink` with these arguments; its results can be read while it
    /// runs.
    pub fn begin(&self, args: &[&str]) -> Running {
        let mut command = self.command(args);
        Running::of(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    }
}

/// Runs a program to its end, and kills it after [`DEADLINE`].
#[track_caller]
fn run_to_end(command: &mut Command) -> Said {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let id = child.id();
    let (ended, has_ended) = std::sync::mpsc::channel::<()>();
    let guard = std::thread::spawn(move || {
        let is_late = has_ended.recv_timeout(DEADLINE) == Err(RecvTimeoutError::Timeout);
        if is_late {
            let _ = Command::new("kill").args(["-KILL", &id.to_string()]).status();
        }
        is_late
    });
    let said = Said::of(&child.wait_with_output().unwrap());
    drop(ended);
    let is_late = guard.join().unwrap();
    assert!(!is_late, "still running after {DEADLINE:?}\n{}\n{}", said.stdout, said.stderr);
    said
}

/// The command, with the database of the desk.
pub const CHECK: &[&str] = &["check", "--db", "relink.db"];

fn rows_of<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [CHECK, QUICK, &["--format", "jsonl"], args].concat()
}

/// What a program said, and how it ended.
#[derive(Debug)]
pub struct Said {
    pub exit: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Said {
    pub fn of(output: &Output) -> Self {
        Self {
            // A death by signal has no exit code and no test wants one.
            exit: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout.clone()).unwrap(),
            stderr: String::from_utf8(output.stderr.clone()).unwrap(),
        }
    }

    /// Claims how it ended.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.exit, code, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// The results, one for each line of stdout.
    #[track_caller]
    pub fn rows(&self) -> Rows {
        Rows(self.stdout.lines().map(read_row).collect())
    }

    /// Claims that the failure is told as error, cause and hint, with nothing
    /// on stdout.
    #[track_caller]
    pub fn fails(self, code: i32, pieces: &[&str]) -> Self {
        let said = self.exits(code);
        assert_eq!(said.stdout, "");
        for piece in ["error: ", "cause: ", "hint: "].iter().chain(pieces) {
            assert!(said.stderr.contains(piece), "no `{piece}` in:\n{}", said.stderr);
        }
        said
    }
}

#[track_caller]
fn read_row(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

/// The results of a run.
#[derive(Debug)]
pub struct Rows(pub Vec<Value>);

impl Rows {
    /// The one result for an address.
    #[track_caller]
    pub fn of(&self, url: impl AsRef<str>) -> &Value {
        let url = url.as_ref();
        let found: Vec<&Value> = self.0.iter().filter(|row| row["url"] == url).collect();
        assert_eq!(found.len(), 1, "results for {url} in {self:?}");
        found[0]
    }

    /// The word and the code for an address: `dead RL101`, `alive`.
    #[track_caller]
    pub fn word(&self, url: impl AsRef<str>) -> String {
        let row = self.of(url);
        let word = row["verdict"].as_str().unwrap();
        row["code"].as_str().map_or(word.to_owned(), |code| format!("{word} {code}"))
    }

    /// Every address, sorted.
    pub fn urls(&self) -> Vec<String> {
        let mut urls: Vec<String> =
            self.0.iter().map(|row| row["url"].as_str().unwrap().to_owned()).collect();
        urls.sort();
        urls
    }
}

/// A check that is under way.
pub struct Running {
    child: Child,
    stdout: BufReader<ChildStdout>,
}

impl Running {
    /// A program whose stdout is piped.
    pub fn of(mut child: Child) -> Self {
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self { child, stdout }
    }

    /// Waits for the next result.
    pub fn next_row(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        read_row(&line)
    }

    /// Presses Ctrl-C.
    pub fn interrupt(&self) {
        self.signal("INT");
    }

    /// Sends a signal.
    pub fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }

    /// Ends it without a chance to do anything about it.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Reads no more and waits for its end.
    pub fn hang_up(self) -> Said {
        drop(self.stdout);
        Said::of(&self.child.wait_with_output().unwrap())
    }

    /// Waits for its end; what was read before is not in its stdout.
    pub fn finish(mut self) -> Said {
        let mut stdout = String::new();
        self.stdout.read_to_string(&mut stdout).unwrap();
        let output = self.child.wait_with_output().unwrap();
        Said { stdout, ..Said::of(&output) }
    }
}
