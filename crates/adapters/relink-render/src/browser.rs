//! A browser process and its children.
//!
//! The browser and its children end with this process at the latest. Dropping the browser kills
//! its process group. If this process is killed, the system closes the pipe to the browser, and
//! the browser exits with its children. The shell that started the browser then removes the
//! profile, which is the temporary directory of the browser.

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use relink_ports::RenderError;
use rustix::process::{Pid, Signal, geteuid, kill_process_group};
use serde::Deserialize;
use serde_json::json;
use tokio::process::{Child, Command};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::browser_registry::registry;
use crate::cdp::{CallError, Cdp};
use crate::flags::{self, Sandbox};
use crate::locate_browser::find_browser;
use crate::memory;
use crate::profile::BrowserProfile;
use crate::settings::RenderSettings;

/// Maximum time until the first response of the browser. On a busy machine with cold
/// disks, the start takes seconds.
const START_TIMEOUT: Duration = Duration::from_secs(30);

/// A shell script whose arguments are the profile, a program and its arguments. The script starts
/// the program with its own standard input and output as descriptors 3 and 4, which Chromium uses
/// for `--remote-debugging-pipe`. Then the script closes its own ends of the pipe, waits for the
/// program and removes the profile. Ending processes may still write to the profile, so the
/// removal is retried once.
const LAUNCH_SCRIPT: &str = r#"profile=$1; shift
exec 3<&0 4>&1 </dev/null >/dev/null
"$@" &
exec 3<&- 4>&-
wait
rm -rf -- "$profile" || { sleep 1; rm -rf -- "$profile"; }"#;

/// Environment variables that are passed to the browser. Other variables may contain
/// secrets or connect the browser to other programs of the user.
const INHERITED_VARIABLES: [&str; 6] =
    ["PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "TMPDIR", "TZ"];

/// Environment variables of the user's directories. They are set to the
/// profile.
const DIRECTORY_VARIABLES: [&str; 4] =
    ["HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"];

/// Maximum number of checks whether a killed browser has exited, and the pause
/// between them.
const EXIT_CHECKS: (u32, Duration) = (100, Duration::from_millis(5));

/// A running browser. Dropping it ends the processes.
pub(crate) struct Browser {
    cdp: Cdp,
    user_agent: String,
    child: Child,
    _tasks: JoinSet<()>,
    // Last field, so that the profile is dropped after the processes that write to it.
    profile: BrowserProfile,
}

/// Result of `Browser.getVersion`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Version {
    user_agent: String,
}

impl Browser {
    /// Starts a browser and waits until it responds.
    pub async fn start(settings: &RenderSettings) -> Result<Self, RenderError> {
        let program = find_browser(settings.browser.as_deref())?;
        let (profile, mut child) = start_registered(&program, settings)?;
        let (Some(writer), Some(reader)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(launch_failed(&"it has no pipe"));
        };
        let (cdp, incoming, outgoing) = Cdp::open(reader, writer);
        let mut tasks = JoinSet::new();
        tasks.spawn(incoming);
        tasks.spawn(outgoing);
        tasks.spawn(memory::watch(cdp.clone(), settings.max_memory_bytes));
        let mut browser =
            Self { cdp, user_agent: settings.user_agent.clone(), child, _tasks: tasks, profile };
        browser.connect().await?;
        Ok(browser)
    }

    /// Returns the `DevTools` connection.
    pub fn cdp(&self) -> &Cdp {
        &self.cdp
    }

    /// Returns the user agent of pages: the user agent of the browser, followed by the text
    /// in the settings.
    pub fn user_agent(&self) -> &str {
        &self.user_agent
    }

    /// Waits for the first response and subscribes to new windows.
    async fn connect(&mut self) -> Result<(), RenderError> {
        let version = timeout(START_TIMEOUT, self.cdp.call(None, "Browser.getVersion", json!({})));
        let reply = match version.await {
            Ok(Err(CallError::Closed)) => return Err(launch_failed(&self.profile.stderr_tail())),
            Ok(reply) => reply.and_then(|reply| reply.read::<Version>()),
            Err(_) => return Err(launch_failed(&"no response from the browser")),
        };
        let version = reply.map_err(|error| launch_failed(&error))?;
        self.user_agent = format!("{} {}", version.user_agent, self.user_agent);
        self.cdp.send_nowait(None, "Target.setDiscoverTargets", &json!({ "discover": true }));
        Ok(())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The id of the group is the process id of its leader. The id is valid until the
        // leader is reaped, which means that its exit status is read.
        if let Some(leader) = group_leader(&self.child) {
            let _ = kill_process_group(leader, Signal::KILL);
        }
        registry().remove(self.profile.path());
        // Wait until no process writes to the profile any more.
        let (attempts, pause) = EXIT_CHECKS;
        for _ in 0..attempts {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(pause);
        }
    }
}

/// Starts a browser and registers it to be ended with the process.
fn start_registered(
    program: &Path,
    settings: &RenderSettings,
) -> Result<(BrowserProfile, Child), RenderError> {
    let mut registry = registry();
    if !registry.may_start() {
        return Err(launch_failed(&"the process is ending"));
    }
    let profile = BrowserProfile::create().map_err(|error| launch_failed(&error))?;
    let child = spawn(program, settings, &profile)?;
    if let Some(leader) = group_leader(&child) {
        registry.add(leader, profile.path());
    }
    Ok((profile, child))
}

/// Returns the leader of a browser's process group. Returns `None` after the leader is reaped.
fn group_leader(child: &Child) -> Option<Pid> {
    child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw)
}

/// Starts the browser process.
fn spawn(
    program: &Path,
    settings: &RenderSettings,
    profile: &BrowserProfile,
) -> Result<Child, RenderError> {
    let sandbox = if geteuid().is_root() { Sandbox::Off } else { Sandbox::On };
    let stderr = profile.stderr_log().map_err(|error| launch_failed(&error))?;
    let inherited = INHERITED_VARIABLES.iter().filter_map(|&name| Some((name, env::var_os(name)?)));
    let directories =
        DIRECTORY_VARIABLES.iter().map(|&name| (name, OsString::from(profile.path())));
    Command::new("/bin/sh")
        .args(["-c", LAUNCH_SCRIPT, "sh"])
        .arg(profile.path())
        .arg(program)
        .args(flags::arguments(settings, profile.path(), sandbox))
        .env_clear()
        .envs(inherited.chain(directories))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(stderr)
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| launch_failed(&error))
}

fn launch_failed(reason: &dyn ToString) -> RenderError {
    RenderError::LaunchFailed { reason: reason.to_string() }
}
