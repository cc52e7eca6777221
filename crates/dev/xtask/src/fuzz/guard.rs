//! Panics are counted and named, hangs are named and ended, and failing inputs
//! are written to files.

use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// An item that takes longer than this hangs.
const HANG: Duration = Duration::from_mins(1);
/// How often the watchdog checks.
const TICK: Duration = Duration::from_millis(250);
/// Failing inputs that are written; more are only counted.
const MAX_FILES: usize = 100;

/// The hook of a panic, as `std` has it.
type Hook = Box<dyn Fn(&PanicHookInfo<'_>) + Sync + Send + 'static>;

/// A failure: where it happened, and the file that holds its input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The place in the source and the item.
    pub place: String,
    /// The file with the input, if it was written.
    pub input: Option<PathBuf>,
}

#[derive(Debug, Default)]
struct State {
    /// Where panics happened that no failure names yet.
    places: Vec<String>,
    failures: Vec<Failure>,
    /// What each worker works on, and since when.
    current: Vec<Option<(Instant, String, Vec<u8>)>>,
}

/// Guards a run: the hook of panics is its own until it is dropped.
pub struct Guard {
    state: Arc<Mutex<State>>,
    folder: PathBuf,
    is_over: Arc<AtomicBool>,
    watchdog: Option<JoinHandle<()>>,
    earlier: Option<Hook>,
}

impl Guard {
    /// Starts guarding; failing inputs go to `folder`.
    pub fn new(folder: &Path, workers: usize) -> Self {
        let state = State { current: vec![None; workers], ..State::default() };
        let state = Arc::new(Mutex::new(state));
        let is_over = Arc::new(AtomicBool::new(false));
        let earlier = take_hook();
        let seen = Arc::clone(&state);
        set_hook(Box::new(move |info| {
            let place = info.location().map(ToString::to_string).unwrap_or_default();
            let item = relink_engine::isolated_item().map(|item| format!(" ({item})"));
            lock(&seen).places.push(format!("{place}{}", item.unwrap_or_default()));
        }));
        let watched = (Arc::clone(&state), Arc::clone(&is_over), folder.to_owned());
        let watchdog = std::thread::spawn(move || watch(&watched.0, &watched.1, &watched.2));
        Self {
            state,
            folder: folder.to_owned(),
            is_over,
            watchdog: Some(watchdog),
            earlier: Some(earlier),
        }
    }

    /// Runs one item of a worker. A panic is noted with the input.
    pub fn run(&self, worker: usize, name: &str, input: &[u8], work: impl FnOnce()) {
        self.begin(worker, name, input);
        let done = catch_unwind(AssertUnwindSafe(work));
        self.end(worker);
        if done.is_err() {
            self.note(name, input);
        }
    }

    /// A worker begins with an item.
    pub fn begin(&self, worker: usize, name: &str, input: &[u8]) {
        if let Some(slot) = lock(&self.state).current.get_mut(worker) {
            *slot = Some((Instant::now(), name.to_owned(), input.to_vec()));
        }
    }

    /// A worker is done with its item.
    pub fn end(&self, worker: usize) {
        if let Some(slot) = lock(&self.state).current.get_mut(worker) {
            *slot = None;
        }
    }

    /// Notes panics that were caught elsewhere: each is named by its place.
    pub fn note_caught(&self) {
        let mut state = lock(&self.state);
        let places = std::mem::take(&mut state.places);
        state.failures.extend(places.into_iter().map(|place| Failure { place, input: None }));
    }

    /// What failed so far.
    pub fn failures(&self) -> Vec<Failure> {
        lock(&self.state).failures.clone()
    }

    fn note(&self, name: &str, input: &[u8]) {
        let mut state = lock(&self.state);
        let place = state.places.pop().unwrap_or_default();
        let number = state.failures.len();
        let path = self.folder.join(format!("panic-{number}-{name}"));
        let input = (number < MAX_FILES).then(|| write(&path, input)).flatten();
        state.failures.push(Failure { place, input });
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(watchdog) = self.watchdog.take() {
            // The watchdog only reads; a panic in it has nothing to say.
            let _ = watchdog.join();
        }
        if let Some(earlier) = self.earlier.take() {
            set_hook(earlier);
        }
    }
}

/// Ends the program if an item hangs, after its input was written.
#[expect(clippy::exit, reason = "a thread that hangs cannot be ended in another way")]
#[expect(clippy::print_stderr, reason = "nothing else can report it any more")]
fn watch(state: &Mutex<State>, is_over: &AtomicBool, folder: &Path) {
    while !is_over.load(Ordering::Relaxed) {
        std::thread::sleep(TICK);
        let state = lock(state);
        let hung = state.current.iter().flatten().find(|(since, ..)| since.elapsed() > HANG);
        if let Some((_, name, input)) = hung {
            let path = folder.join(format!("hang-{name}"));
            let path = write(&path, input).unwrap_or(path);
            let seconds = HANG.as_secs();
            eprintln!("error: `{name}` took longer than {seconds} s; see `{}`", path.display());
            std::process::exit(1);
        }
    }
}

fn write(path: &Path, input: &[u8]) -> Option<PathBuf> {
    std::fs::create_dir_all(path.parent()?).ok()?;
    std::fs::write(path, input).ok()?;
    Some(path.to_owned())
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
