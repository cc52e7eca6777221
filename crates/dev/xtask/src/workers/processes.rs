//! Starts `relink check` and its workers as processes, and sends signals to them.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::WorkersSize;
use crate::XtaskError;

/// Number of workers, in addition to the check.
pub(super) const WORKERS: usize = 4;

/// The file with the report of the check.
pub(super) const REPORT: &str = "report.jsonl";

/// The check and its workers. The workers end when this is dropped.
pub(super) struct Processes {
    check: Child,
    workers: Vec<Child>,
}

impl Processes {
    /// Starts the check and its workers.
    pub(super) fn start(
        relink: &Path,
        folder: &Path,
        db: &str,
        size: &WorkersSize,
    ) -> Result<Self, XtaskError> {
        let interval = format!("{}ms", size.interval.as_millis());
        let lease = format!("{}ms", size.lease.as_millis());
        let concurrency = size.concurrency().to_string();
        let (output, errors) = (folder.join(REPORT), folder.join("errors.txt"));
        let create =
            |path: &Path| std::fs::File::create(path).map_err(|error| XtaskError::io(path, &error));
        let check = command(relink, folder)
            .args(["check", "--db", db, "--format", "jsonl", "--host-concurrency", "1"])
            .args(["--host-interval", &interval, "--concurrency", &concurrency])
            .args(["--user-agent", "check", "list.txt"])
            .stdout(create(&output)?)
            .stderr(create(&errors)?)
            .spawn();
        let mut processes = Self { check: started(relink, check)?, workers: Vec::new() };
        for worker in 1..=WORKERS {
            let child = command(relink, folder)
                .args(["worker", "--db", db, "--lease", &lease, "--concurrency", &concurrency])
                .args(["--user-agent", &Self::agent(worker)])
                .stdout(Stdio::null())
                .stderr(create(&folder.join(format!("worker-{worker}.txt")))?)
                .spawn();
            processes.workers.push(started(relink, child)?);
        }
        Ok(processes)
    }

    /// Returns the user agent of a worker.
    pub(super) fn agent(worker: usize) -> String {
        format!("worker-{worker}")
    }

    /// Returns the process id of a worker.
    pub(super) fn id(&self, worker: usize) -> u32 {
        self.workers[worker - 1].id()
    }

    /// Sends a signal to a worker.
    pub(super) fn signal(&self, worker: usize, signal: &str) -> Result<(), XtaskError> {
        send(signal, self.id(worker))
    }

    /// Whether the check has ended.
    pub(super) fn has_ended(&mut self) -> Result<bool, XtaskError> {
        Ok(self.check.try_wait().map_err(|error| wait_error(&error))?.is_some())
    }

    /// Waits for the end of the check, then ends the workers.
    pub(super) fn wait(&mut self) -> Result<(), XtaskError> {
        self.check.wait().map_err(|error| wait_error(&error))?;
        for worker in &mut self.workers {
            // Ignore the error: two workers were killed.
            let _ = send("TERM", worker.id());
            worker.wait().map_err(|error| wait_error(&error))?;
        }
        Ok(())
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        for child in self.workers.iter_mut().chain([&mut self.check]) {
            // Ignore errors: the process may have ended.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Returns `relink` in a directory that is also its home.
pub(crate) fn command(relink: &Path, folder: &Path) -> Command {
    let mut command = Command::new(relink);
    command
        .current_dir(folder)
        .env("HOME", folder)
        .env("XDG_DATA_HOME", folder.join("data"))
        .env("XDG_CONFIG_HOME", folder.join("config"))
        .stdin(Stdio::null());
    command
}

fn started(relink: &Path, child: std::io::Result<Child>) -> Result<Child, XtaskError> {
    child.map_err(|error| XtaskError::io(relink, &error))
}

fn wait_error(error: &std::io::Error) -> XtaskError {
    XtaskError::new(format!("cannot wait for relink: {error}"))
}

/// Sends a signal to a process.
fn send(signal: &str, process: u32) -> Result<(), XtaskError> {
    let status = Command::new("kill").args([&format!("-{signal}"), &process.to_string()]).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        _ => Err(XtaskError::new(format!("cannot send SIG{signal} to process {process}"))),
    }
}
