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
    CheckOutcome, CheckSettings, DispatchSettings, Input, LoadSettings, Observer, Ports, Progress,
    ReadOptions, StopSignal, check,
};
use relink_fetch::ResolveOverride;
use relink_frontier::{PolitenessPolicy, UrlFilter};
use relink_judge::Policy;
use relink_model::RunId;
use relink_ports::{CheckedTarget, Clock};
use relink_report::human::{self, TextStyle, counted, duration};

use self::board::{ReportedVerdicts, Scoreboard};
use crate::cli::GlobalArgs;
use crate::clock::RunClock;
use crate::commands::paint;
use crate::error::{CommandError, Exit};
use crate::output::print;
use crate::wiring;

/// Short, because everything is near.
const TIMEOUT: Duration = Duration::from_secs(1);

/// How long ago the first visit was.
const A_YEAR: SignedDuration = SignedDuration::from_hours(365 * 24);

/// Runs the tour.
pub async fn run(face: GlobalArgs) -> Result<Exit, CommandError> {
    let library = Library::start().await.map_err(|fault| {
        CommandError::internal("cannot open the library on 127.0.0.1").cause(fault.to_string())
    })?;
    let folder = DemoDir::open()?;
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
    let board = Scoreboard::new(&planted, &said);
    print(&format!("\n{}{}{NEXT}", board.text(tour.paint), found.sums()))?;
    let is_right = board.is_right() && found.is_right() && decay.is_right();
    Ok(if is_right { Exit::Clean } else { Exit::InternalError })
}

/// A temporary directory that is gone when the tour ends.
struct DemoDir(PathBuf);

impl DemoDir {
    fn open() -> Result<Self, CommandError> {
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
    fn shelve(&self, library: &Library) -> Result<(), CommandError> {
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

impl Drop for DemoDir {
    fn drop(&mut self) {
        // What cannot be removed is the system's to clean up.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn cannot_make(path: &Path, fault: &std::io::Error) -> CommandError {
    CommandError::internal(format!("cannot make `{}`", path.display()))
        .cause(fault.to_string())
        .hint("TMPDIR names the directory to use")
}

/// The way through the library, and what is told on it.
struct Tour {
    paint: TextStyle,
    library: Library,
    folder: DemoDir,
}

impl Tour {
    async fn ports(&self) -> Result<Ports, CommandError> {
        let overrides: Result<Vec<ResolveOverride>, _> =
            self.library.overrides().iter().map(|text| text.parse()).collect();
        let overrides = overrides
            .map_err(|_| CommandError::internal("the library's addresses cannot be read"))?;
        let fetch = relink_fetch::FetchSettings {
            timeout: TIMEOUT,
            resolve: overrides,
            ..relink_fetch::FetchSettings::default()
        };
        wiring::ports(fetch, &self.folder.0.join("demo.db"), Arc::new(RunClock::start()?)).await
    }

    /// Visits what has a past as it was then.
    async fn remember(&self, ports: &Ports) -> Result<(), CommandError> {
        let began = Instant::now();
        let keepsakes = self.library.previously_visited();
        let past = Ports { clock: Arc::new(YearAgo(Arc::clone(&ports.clock))), ..ports.clone() };
        let input = Input::Stdin(keepsakes.join("\n").into_bytes().into());
        self.library.turn_to(Season::AYearAgo);
        check(&past, &settings(input), &mut VerdictCollector::default(), &StopSignal::new().1)
            .await?;
        self.library.turn_to(Season::Today);
        print(&format!(
            "1/5 remember {} visited as they were a year ago, so that a change can be told   {}\n",
            counted(keepsakes.len() as u64, "page"),
            duration(since(began)),
        ))
    }

    /// Checks the collection as it is today.
    async fn check(&self, ports: &Ports) -> Result<(RunId, ReportedVerdicts), CommandError> {
        let began = Instant::now();
        let mut listener = VerdictCollector::default();
        let input = Input::Path(self.folder.collection());
        let outcome = check(ports, &settings(input), &mut listener, &StopSignal::new().1).await?;
        print(&self.sums(ports, &outcome, began).await?)?;
        Ok((outcome.run, listener.0))
    }

    async fn sums(
        &self,
        ports: &Ports,
        outcome: &CheckOutcome,
        began: Instant,
    ) -> Result<String, CommandError> {
        let tally = outcome.tally(&*ports.store).await?;
        let summary = human::summary(self.paint, &tally.verdicts);
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
            scope: UrlFilter::default(),
            is_offline: false,
            fresh_since: Timestamp::MAX,
            pause: Duration::ZERO,
            page_bytes: DispatchSettings::PAGE_BYTES,
            reading: ReadOptions::default(),
        },
        ask: DispatchSettings {
            concurrency: 64,
            politeness: PolitenessPolicy::check(8, Duration::ZERO),
            policy: Policy { retries: 1, ..Policy::default() },
            ..DispatchSettings::default()
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
struct VerdictCollector(ReportedVerdicts);

impl Observer for VerdictCollector {
    fn settled(&mut self, settled: &CheckedTarget) -> std::io::Result<()> {
        let settlement = &settled.result;
        self.0.insert(settled.original_url.clone(), (settlement.verdict, settlement.code));
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
