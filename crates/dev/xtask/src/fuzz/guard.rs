//! Records panics, ends hangs, and writes failing inputs to files.

use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Time after which an item counts as hanging.
const MAX_ITEM_TIME: Duration = Duration::from_mins(1);
/// Interval of the watchdog.
const WATCHDOG_INTERVAL: Duration = Duration::from_millis(250);
/// Maximum number of failing inputs that are written.
const MAX_FILES: usize = 100;

/// A panic hook of `std`.
type Hook = Box<dyn Fn(&PanicHookInfo<'_>) + Sync + Send + 'static>;

/// A panic, and the file with its input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The source location, and the name of the item.
    pub location: String,
    /// The file with the input, if it was written.
    pub input: Option<PathBuf>,
}

/// The state that the guard, its panic hook and its watchdog share.
#[derive(Debug, Default)]
struct State {
    /// Source locations of panics that are not yet assigned to a failure.
    panic_locations: Vec<String>,
    failures: Vec<Failure>,
    /// The item of each worker, and its start time.
    current: Vec<Option<(Instant, String, Vec<u8>)>>,
}

/// Records the panics of a run and ends the program if an item hangs. Its panic hook is
/// installed until the guard is dropped.
pub struct Guard {
    state: Arc<Mutex<State>>,
    folder: PathBuf,
    is_finished: Arc<AtomicBool>,
    watchdog: Option<JoinHandle<()>>,
    previous_hook: Option<Hook>,
}

impl Guard {
    /// Installs the panic hook and starts the watchdog. Failing inputs are written to
    /// `folder`.
    pub fn new(folder: &Path, workers: usize) -> Self {
        let state = State { current: vec![None; workers], ..State::default() };
        let state = Arc::new(Mutex::new(state));
        let is_finished = Arc::new(AtomicBool::new(false));
        let previous_hook = take_hook();
        let hook_state = Arc::clone(&state);
        set_hook(Box::new(move |info| {
            let location = info.location().map(ToString::to_string).unwrap_or_default();
            let item = relink_requests::isolated_item().map(|item| format!(" ({item})"));
            lock(&hook_state)
                .panic_locations
                .push(format!("{location}{}", item.unwrap_or_default()));
        }));
        let (items, stop, inputs) =
            (Arc::clone(&state), Arc::clone(&is_finished), folder.to_owned());
        let watchdog = std::thread::spawn(move || watch_for_hangs(&items, &stop, &inputs));
        Self {
            state,
            folder: folder.to_owned(),
            is_finished,
            watchdog: Some(watchdog),
            previous_hook: Some(previous_hook),
        }
    }

    /// Runs one item of a worker. A panic is recorded with the input.
    pub fn run(&self, worker: usize, name: &str, input: &[u8], work: impl FnOnce()) {
        self.begin(worker, name, input);
        let done = catch_unwind(AssertUnwindSafe(work));
        self.end(worker);
        if done.is_err() {
            self.record_panic(name, input);
        }
    }

    /// Records that a worker starts an item.
    pub fn begin(&self, worker: usize, name: &str, input: &[u8]) {
        if let Some(slot) = lock(&self.state).current.get_mut(worker) {
            *slot = Some((Instant::now(), name.to_owned(), input.to_vec()));
        }
    }

    /// Records that a worker finished its item.
    pub fn end(&self, worker: usize) {
        if let Some(slot) = lock(&self.state).current.get_mut(worker) {
            *slot = None;
        }
    }

    /// Records panics that Relink caught itself. Their inputs are unknown.
    pub fn record_caught_panics(&self) {
        let mut state = lock(&self.state);
        let panic_locations = std::mem::take(&mut state.panic_locations);
        state
            .failures
            .extend(panic_locations.into_iter().map(|location| Failure { location, input: None }));
    }

    /// Returns the failures so far.
    pub fn failures(&self) -> Vec<Failure> {
        lock(&self.state).failures.clone()
    }

    /// Records the last panic as a failure, and writes its input to a file.
    fn record_panic(&self, name: &str, input: &[u8]) {
        let mut state = lock(&self.state);
        let location = state.panic_locations.pop().unwrap_or_default();
        let number = state.failures.len();
        let path = self.folder.join(format!("panic-{number}-{name}"));
        let input = (number < MAX_FILES).then(|| write_input(&path, input)).flatten();
        state.failures.push(Failure { location, input });
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.is_finished.store(true, Ordering::Relaxed);
        if let Some(watchdog) = self.watchdog.take() {
            // Ignore a panic of the watchdog: it only reads.
            let _ = watchdog.join();
        }
        if let Some(previous_hook) = self.previous_hook.take() {
            set_hook(previous_hook);
        }
    }
}

/// Writes the input of a hanging item and ends the program.
#[expect(clippy::exit, reason = "a thread that hangs cannot be ended in another way")]
#[expect(clippy::print_stderr, reason = "nothing else can report it any more")]
fn watch_for_hangs(state: &Mutex<State>, is_finished: &AtomicBool, folder: &Path) {
    while !is_finished.load(Ordering::Relaxed) {
        std::thread::sleep(WATCHDOG_INTERVAL);
        let state = lock(state);
        let hanging =
            state.current.iter().flatten().find(|(since, ..)| since.elapsed() > MAX_ITEM_TIME);
        if let Some((_, name, input)) = hanging {
            let path = folder.join(format!("hang-{name}"));
            let path = write_input(&path, input).unwrap_or(path);
            let seconds = MAX_ITEM_TIME.as_secs();
            eprintln!("error: `{name}` took longer than {seconds} s; see `{}`", path.display());
            std::process::exit(1);
        }
    }
}

/// Writes an input to a file, and returns its path, or `None` on an error.
fn write_input(path: &Path, input: &[u8]) -> Option<PathBuf> {
    std::fs::create_dir_all(path.parent()?).ok()?;
    std::fs::write(path, input).ok()?;
    Some(path.to_owned())
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
