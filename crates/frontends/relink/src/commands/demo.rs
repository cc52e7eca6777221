//! `relink demo`: the whole tour on the built-in rotten library.
//!
//! Everything happens on 127.0.0.1 and in a temporary directory. The library is
//! visited twice, for some pages can only be judged by whoever has seen them
//! before: first as it was a year ago, quietly, then as it is today. Then dead
//! pages are looked for, in a small archive of the same town. What was planted
//! is compared with what Relink says.

mod board;
mod decay;
mod revived;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use relink_demo::{Library, Season};
use relink_engine::{
    AskSettings, CheckSettings, Input, LoadSettings, Observer, Outcome, Ports, Progress, Reading,
    Stop, check,
};
use relink_fetch::Override;
use relink_frontier::{Pace, Scope};
use relink_judge::Policy;
use relink_model::RunId;
use relink_ports::{Clock, Settled};
use relink_report::human::{self, Paint, counted, duration};

use self::board::{Board, Said};
use crate::cli::Face;
use crate::clock::RunClock;
use crate::commands::paint;
use crate::failure::{Exit, Failure};
use crate::output::print;
use crate::wiring;

/// Short, because everything is near.
const TIMEOUT: Duration = Duration::from_secs(1);

/// How long ago the first visit was.
const A_YEAR: SignedDuration = SignedDuration::from_hours(365 * 24);

/// Runs the tour.
pub async fn run(face: Face) -> Result<Exit, Failure> {
    let library = Library::start().await.map_err(|fault| {
        Failure::fault("cannot open the library on 127.0.0.1").cause(fault.to_string())
    })?;
    let folder = Workshop::open()?;
    folder.shelve(&library)?;
    let tour = Tour { paint: paint(&face), library, folder };
    print(&format!(
        "Relink demo · everything below is local (127.0.0.1:{}), nothing is sent out\n",
        tour.library.port()
    ))?;
    let ports = tour.ports().await?;
    tour.remember(&ports).await?;
    let (run, said) = tour.check(&ports).await?;
    let found = revived::look(&tour.library, ports.clone(), run).await?;
    print(&found.line())?;
    let decay = decay::measured(&ports, &tour.library).await?;
    print(&format!("{}\n", decay.line()))?;
    let planted = tour.library.planted();
    let board = Board::new(&planted, &said);
    print(&format!("\n{}{}{NEXT}", board.text(tour.paint), found.sums()))?;
    let is_right = board.is_right() && found.is_right() && decay.is_right();
    Ok(if is_right { Exit::Clean } else { Exit::Fault })
}

/// A temporary directory that is gone when the tour ends.
struct Workshop(PathBuf);

impl Workshop {
    fn open() -> Result<Self, Failure> {
        let now = Timestamp::now().as_microsecond();
        let path = std::env::temp_dir().join(format!("relink-demo-{}-{now}", std::process::id()));
        std::fs::create_dir(&path).map_err(|fault| cannot_make(&path, &fault))?;
        Ok(Self(path))
    }

    /// Where the documents are.
    fn collection(&self) -> PathBuf {
        self.0.join("collection")
    }

    /// Writes the library's documents.
    fn shelve(&self, library: &Library) -> Result<(), Failure> {
        for document in library.documents() {
            let path = self.collection().join(document.path);
            let folder = path.parent().unwrap_or(&self.0);
            std::fs::create_dir_all(folder)
                .and_then(|()| std::fs::write(&path, document.text))
                .map_err(|fault| cannot_make(&path, &fault))?;
        }
        Ok(())
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        // What cannot be removed is the system's to clean up.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn cannot_make(path: &Path, fault: &std::io::Error) -> Failure {
    Failure::fault(format!("cannot make `{}`", path.display()))
        .cause(fault.to_string())
        .hint("TMPDIR names the directory to use")
}

/// The way through the library, and what is told on it.
struct Tour {
    paint: Paint,
    library: Library,
    folder: Workshop,
}

impl Tour {
    async fn ports(&self) -> Result<Ports, Failure> {
        let overrides: Result<Vec<Override>, _> =
            self.library.overrides().iter().map(|text| text.parse()).collect();
        let overrides =
            overrides.map_err(|_| Failure::fault("the library's addresses cannot be read"))?;
        let fetch = relink_fetch::Settings {
            timeout: TIMEOUT,
            resolve: overrides,
            ..relink_fetch::Settings::default()
        };
        wiring::ports(fetch, &self.folder.0.join("demo.db"), Arc::new(RunClock::start()?)).await
    }

    /// Visits what has a past as it was then.
    async fn remember(&self, ports: &Ports) -> Result<(), Failure> {
        let began = Instant::now();
        let keepsakes = self.library.keepsakes();
        let past = Ports { clock: Arc::new(YearAgo(Arc::clone(&ports.clock))), ..ports.clone() };
        let input = Input::Stdin(keepsakes.join("\n").into_bytes().into());
        self.library.turn_to(Season::AYearAgo);
        check(&past, &settings(input), &mut Listener::default(), &Stop::new().1).await?;
        self.library.turn_to(Season::Today);
        print(&format!(
            "1/5 remember {} visited as they were a year ago, so that a change can be told   {}\n",
            counted(keepsakes.len() as u64, "page"),
            duration(since(began)),
        ))
    }

    /// Checks the collection as it is today.
    async fn check(&self, ports: &Ports) -> Result<(RunId, Said), Failure> {
        let began = Instant::now();
        let mut listener = Listener::default();
        let input = Input::Path(self.folder.collection());
        let outcome = check(ports, &settings(input), &mut listener, &Stop::new().1).await?;
        print(&self.sums(ports, &outcome, began).await?)?;
        Ok((outcome.run, listener.0))
    }

    async fn sums(
        &self,
        ports: &Ports,
        outcome: &Outcome,
        began: Instant,
    ) -> Result<String, Failure> {
        let tally = outcome.tally(&*ports.store).await?;
        let summary = human::summary(self.paint, &tally.words);
        let summary: Vec<&str> = summary.lines().map(str::trim_start).collect();
        Ok(format!(
            "2/5 check    {}, {}, {}   {}\n3/5 judge    {}\n",
            counted(tally.documents, "document"),
            counted(tally.links, "link"),
            counted(tally.hosts, "host"),
            duration(since(began)),
            summary.join("\n             "),
        ))
    }
}

fn since(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)
}

fn settings(input: Input) -> CheckSettings {
    CheckSettings {
        load: LoadSettings {
            inputs: vec![input],
            scope: Scope::default(),
            is_offline: false,
            fresh_since: Timestamp::MAX,
            pause: Duration::ZERO,
            page_bytes: AskSettings::PAGE_BYTES,
            reading: Reading::default(),
        },
        ask: AskSettings {
            concurrency: 64,
            pace: Pace::check(8, Duration::ZERO),
            policy: Policy { retries: 1, ..Policy::default() },
            ..AskSettings::default()
        },
        is_fresh: true,
        scope: BTreeMap::new(),
    }
}

/// A clock that is a year slow.
struct YearAgo(Arc<dyn Clock>);

impl Clock for YearAgo {
    fn now(&self) -> Timestamp {
        let now = self.0.now();
        now.checked_sub(A_YEAR).unwrap_or(now)
    }
}

/// Keeps what Relink says about each address.
#[derive(Default)]
struct Listener(Said);

impl Observer for Listener {
    fn settled(&mut self, settled: &Settled) -> std::io::Result<()> {
        let settlement = &settled.settlement;
        self.0.insert(settled.given.clone(), (settlement.word, settlement.code));
        Ok(())
    }

    fn progress(&mut self, _: &Progress) {}
}

const NEXT: &str = "\
Next:  relink check README.md      your files
       relink check --revive .     and where dead pages live now
       relink explain RL301        what a soft-404 is, and what to do
       relink explain --list       every code there is
       relink decay URL            how rotten the neighborhood of a page is
";
