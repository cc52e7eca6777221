//! One browser process with all its children, from start to end.
//!
//! None of them outlives us. Dropping the browser kills its process group. If
//! we are killed ourselves, the system closes our ends of the pipe, and a
//! browser whose pipe is closed ends by itself and takes its children along.
//! The shell that started it waits for that and removes the profile.

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

use crate::cdp::{CallError, Cdp};
use crate::flags::{self, Sandbox};
use crate::locate_browser::find_browser;
use crate::memory;
use crate::profile::BrowserProfile;
use crate::running::running;
use crate::settings::RenderSettings;

/// How long a browser may take to answer for the first time; on a busy
/// machine with cold disks it takes seconds.
const START_PATIENCE: Duration = Duration::from_secs(30);

/// Starts a program with its standard input and output as descriptors 3 and
/// 4, where a browser looks for its pipe. The shell closes its own ends, waits
/// for the program, and removes the profile, its first argument: processes
/// that end may still write there, so it may take a second attempt.
const WITH_PIPE: &str = r#"profile=$1; shift
exec 3<&0 4>&1 </dev/null >/dev/null
"$@" &
exec 3<&- 4>&-
wait
rm -rf -- "$profile" || { sleep 1; rm -rf -- "$profile"; }"#;

/// The variables a browser gets. Others may hold secrets, and some would make
/// it speak with other programs of the user.
const PASSED_ON: [&str; 6] = ["PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "TMPDIR", "TZ"];

/// Where a program keeps its files unless told otherwise.
const HOMES: [&str; 4] = ["HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"];

/// How often, and how long apart, we look whether a killed browser is gone.
const REAPING: (u32, Duration) = (100, Duration::from_millis(5));

/// A browser that runs; dropping it ends it.
pub(crate) struct Browser {
    cdp: Cdp,
    user_agent: String,
    child: Child,
    _carriers: JoinSet<()>,
    // Last, so that it is removed after the processes that write there.
    profile: BrowserProfile,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Version {
    user_agent: String,
}

impl Browser {
    /// Starts one and waits until it answers.
    pub async fn start(settings: &RenderSettings) -> Result<Self, RenderError> {
        let program = find_browser(settings.browser.as_deref())?;
        let (profile, mut child) = start(&program, settings)?;
        let (Some(writer), Some(reader)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(not_started(&"it has no pipe"));
        };
        let (cdp, incoming, outgoing) = Cdp::open(reader, writer);
        let mut carriers = JoinSet::new();
        carriers.spawn(incoming);
        carriers.spawn(outgoing);
        carriers.spawn(memory::watch(cdp.clone(), settings.memory_cap));
        let mut browser = Self {
            cdp,
            user_agent: settings.user_agent.clone(),
            child,
            _carriers: carriers,
            profile,
        };
        browser.greet().await?;
        Ok(browser)
    }

    /// The line to it.
    pub fn cdp(&self) -> &Cdp {
        &self.cdp
    }

    /// The name its pages go by: the browser's own, and ours.
    pub fn user_agent(&self) -> &str {
        &self.user_agent
    }

    /// Waits for its first word and asks to be told of new windows.
    async fn greet(&mut self) -> Result<(), RenderError> {
        let version = timeout(START_PATIENCE, self.cdp.call(None, "Browser.getVersion", json!({})));
        let reply = match version.await {
            Ok(Err(CallError::Gone)) => return Err(not_started(&self.profile.stderr_tail())),
            Ok(reply) => reply.and_then(|reply| reply.read::<Version>()),
            Err(_) => return Err(not_started(&"it does not answer")),
        };
        let version = reply.map_err(|error| not_started(&error))?;
        self.user_agent = format!("{} {}", version.user_agent, self.user_agent);
        self.cdp.send_nowait(None, "Target.setDiscoverTargets", &json!({ "discover": true }));
        Ok(())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Its leader's id names the group; it is ours until it was waited for.
        if let Some(leader) = leader(&self.child) {
            let _ = kill_process_group(leader, Signal::KILL);
        }
        running().remove(self.profile.path());
        // Some milliseconds, so that nothing writes to the profile any more.
        let (attempts, pause) = REAPING;
        for _ in 0..attempts {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(pause);
        }
    }
}

/// Starts a browser that is ended with the process.
fn start(
    program: &Path,
    settings: &RenderSettings,
) -> Result<(BrowserProfile, Child), RenderError> {
    let mut running = running();
    if !running.may_start() {
        return Err(not_started(&"the run ends"));
    }
    let profile = BrowserProfile::create().map_err(|error| not_started(&error))?;
    let child = spawn(program, settings, &profile)?;
    if let Some(leader) = leader(&child) {
        running.add(leader, profile.path());
    }
    Ok((profile, child))
}

/// The leader of a browser's process group, until it was waited for.
fn leader(child: &Child) -> Option<Pid> {
    child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw)
}

fn spawn(
    program: &Path,
    settings: &RenderSettings,
    profile: &BrowserProfile,
) -> Result<Child, RenderError> {
    let sandbox = if geteuid().is_root() { Sandbox::Off } else { Sandbox::On };
    let complaints = profile.stderr_log().map_err(|error| not_started(&error))?;
    let passed_on = PASSED_ON.iter().filter_map(|&name| Some((name, env::var_os(name)?)));
    let homes = HOMES.iter().map(|&name| (name, OsString::from(profile.path())));
    Command::new("/bin/sh")
        .args(["-c", WITH_PIPE, "sh"])
        .arg(profile.path())
        .arg(program)
        .args(flags::arguments(settings, profile.path(), sandbox))
        .env_clear()
        .envs(passed_on.chain(homes))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(complaints)
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| not_started(&error))
}

fn not_started(reason: &dyn ToString) -> RenderError {
    RenderError::LaunchFailed { reason: reason.to_string() }
}
