//! `relink demo`: runs Relink on a built-in demo site.
//!
//! The demo uses only 127.0.0.1 and a temporary directory. It has eight steps:
//!
//! 1. check the site in its state of a year ago, because some verdicts need an earlier result
//! 2. check the site in its state of today
//! 3. print the verdicts
//! 4. search for the new URLs of dead pages in a demo archive
//! 5. measure the decay of a page: how likely random links lead to a dead page
//! 6. harvest the metadata records of two providers over a simulated quarter
//! 7. watch a reading list
//! 8. print the diff that repairs the documents
//!
//! At the end, the results are compared with the faults that the site contains on purpose
//! (planted faults).

mod decay;
mod demo_revivals;
mod fix;
mod harvest;
mod reading;
mod scoreboard;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use relink_demo::{Library, SimulatedTime};
use relink_documents::{Input, LoadSettings, ReadOptions};
use relink_engine::{CheckOutcome, CheckSettings, DispatchSettings, Observer, Progress, check};
use relink_fetch::ResolveOverride;
use relink_frontier::{PolitenessPolicy, UrlFilter};
use relink_judge::Policy;
use relink_model::RunId;
use relink_ports::{CheckedTarget, Clock};
use relink_report::human::{self, TextStyle, counted, duration};
use relink_requests::{Ports, StopSignal};

use self::scoreboard::{ReportedVerdicts, Scoreboard};
use crate::cli::{DemoArgs, GlobalArgs};
use crate::clock::RunClock;
use crate::commands::fix::write_output;
use crate::commands::text_style;
use crate::error::{CommandError, Exit};
use crate::output::print;
use crate::wiring;

/// The name of the patch in the directory of `--keep`.
const PATCH_FILE: &str = "fix.patch";

/// Request timeout; short because all servers are local.
const TIMEOUT: Duration = Duration::from_secs(1);

/// The time between the two checks of the site.
const YEAR: SignedDuration = SignedDuration::from_hours(365 * 24);

/// Runs `relink demo`.
pub async fn run(args: DemoArgs, global: GlobalArgs) -> Result<Exit, CommandError> {
    let library = Library::start().await.map_err(|error| {
        CommandError::internal("cannot start the demo site on 127.0.0.1").cause(error.to_string())
    })?;
    let dir = DemoDir::open()?;
    write_documents(&library, &dir.collection())?;
    if let Some(keep) = &args.keep {
        keep_documents(&library, keep)?;
    }
    let demo = Demo { style: text_style(&global), library, dir };
    print(&format!(
        "Relink demo · everything is local (127.0.0.1:{}); no requests leave this machine\n",
        demo.library.port()
    ))?;
    let ports = demo.ports().await?;
    demo.check_past(&ports).await?;
    let (run, reported) = demo.check(&ports).await?;
    let revivals = demo_revivals::search(&demo.library, ports.clone(), run).await?;
    print(&revivals.line())?;
    let decay = decay::measure_page(&ports, &demo.library).await?;
    print(&format!("{}\n", decay.line()))?;
    let quarter = harvest::run_quarter(&demo.dir.0.join("harvest.db")).await?;
    print(&format!("{}\n", quarter.line()))?;
    let reading = demo.watch_reading_list().await?;
    print(&reading.line())?;
    let input = Input::Path(demo.dir.collection());
    let mut fix = fix::plan(&ports, run, &check_settings(input), &demo.dir.collection()).await?;
    print(&fix.text())?;
    if let Some(keep) = &args.keep {
        write_output(&keep.join(PATCH_FILE), &fix.patch()?)?;
    }
    let planted = demo.library.expected_findings();
    let board = Scoreboard::new(&planted, &reported);
    print(&format!("\n{}{}{NEXT_COMMANDS}", board.text(demo.style), revivals.totals()))?;
    // The demo is also a test of the installation: a wrong result is an internal error.
    let is_correct = board.is_perfect()
        && revivals.matches_truth()
        && decay.matches_truth()
        && fix.has_edits()
        && quarter.matches_truth()
        && reading.matches_truth();
    Ok(if is_correct { Exit::Clean } else { Exit::InternalError })
}

/// A temporary directory that is deleted at the end.
struct DemoDir(PathBuf);

impl DemoDir {
    fn open() -> Result<Self, CommandError> {
        let now = Timestamp::now().as_microsecond();
        let path = std::env::temp_dir().join(format!("relink-demo-{}-{now}", std::process::id()));
        std::fs::create_dir(&path).map_err(|error| cannot_create(&path, &error))?;
        Ok(Self(path))
    }

    /// Returns the directory of the documents.
    fn collection(&self) -> PathBuf {
        self.0.join("collection")
    }
}

impl Drop for DemoDir {
    fn drop(&mut self) {
        // Ignore the error: the system cleans up its temporary directory.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Writes the documents of the demo site.
fn write_documents(library: &Library, directory: &Path) -> Result<(), CommandError> {
    for document in library.documents() {
        let path = directory.join(document.path);
        let parent = path.parent().unwrap_or(directory);
        std::fs::create_dir_all(parent)
            .and_then(|()| std::fs::write(&path, document.text))
            .map_err(|error| cannot_create(&path, &error))?;
    }
    Ok(())
}

/// Writes the documents of the demo site to a new directory.
fn keep_documents(library: &Library, directory: &Path) -> Result<(), CommandError> {
    std::fs::create_dir(directory).map_err(|error| {
        CommandError::usage(format!("cannot create `{}`", directory.display()))
            .cause(error.to_string())
            .hint("name a directory that does not exist")
    })?;
    write_documents(library, &directory.join("collection"))
}

fn cannot_create(path: &Path, error: &std::io::Error) -> CommandError {
    CommandError::internal(format!("cannot create `{}`", path.display()))
        .cause(error.to_string())
        .hint("set TMPDIR to another directory")
}

/// The demo site and the output settings.
struct Demo {
    style: TextStyle,
    library: Library,
    dir: DemoDir,
}

impl Demo {
    async fn ports(&self) -> Result<Ports, CommandError> {
        let db = self.dir.0.join("demo.db");
        wiring::ports(self.fetch_settings()?, &db, Arc::new(RunClock::start()?)).await
    }

    fn fetch_settings(&self) -> Result<relink_fetch::FetchSettings, CommandError> {
        let overrides: Result<Vec<ResolveOverride>, _> =
            self.library.overrides().iter().map(|text| text.parse()).collect();
        let overrides =
            overrides.map_err(|_| CommandError::internal("invalid addresses of the demo site"))?;
        Ok(relink_fetch::FetchSettings {
            timeout: TIMEOUT,
            resolve: overrides,
            ..relink_fetch::FetchSettings::default()
        })
    }

    /// Watches a reading list. The list has its own database, because its pages are fetched
    /// again in their state of a year ago.
    async fn watch_reading_list(&self) -> Result<reading::DemoReading, CommandError> {
        let db = self.dir.0.join("reading.db");
        let clock = Arc::new(RunClock::start()?);
        // Allow private addresses for all requests, because all demo pages have private
        // addresses, also the candidates that a search finds.
        let fetch = relink_fetch::FetchSettings { allow_private: true, ..self.fetch_settings()? };
        let (ports, store) = wiring::ports_with_collections(fetch, &db, clock).await?;
        reading::watch_list(&self.library, &ports, &*store, &db).await
    }

    /// Checks the pages whose verdict needs an earlier result, in their state of a year ago.
    async fn check_past(&self, ports: &Ports) -> Result<(), CommandError> {
        let started = Instant::now();
        let pages = self.library.previously_visited();
        let past = Ports { clock: Arc::new(YearAgo(Arc::clone(&ports.clock))), ..ports.clone() };
        let input = Input::Stdin(pages.join("\n").into_bytes().into());
        self.library.set_time(SimulatedTime::OneYearAgo);
        let mut collector = VerdictCollector::default();
        check(&past, &check_settings(input), &mut collector, &StopSignal::never()).await?;
        self.library.set_time(SimulatedTime::Today);
        print(&format!(
            "1/8 history  {} checked in their state of a year ago   {}\n",
            counted(pages.len() as u64, "page"),
            duration(milliseconds_since(started)),
        ))
    }

    /// Checks the collection in its state of today.
    async fn check(&self, ports: &Ports) -> Result<(RunId, ReportedVerdicts), CommandError> {
        let started = Instant::now();
        let mut collector = VerdictCollector::default();
        let input = Input::Path(self.dir.collection());
        let outcome =
            check(ports, &check_settings(input), &mut collector, &StopSignal::never()).await?;
        print(&self.check_lines(ports, &outcome, started).await?)?;
        Ok((outcome.run, collector.0))
    }

    /// Formats the lines `2/8 check …` and `3/8 judge …`.
    async fn check_lines(
        &self,
        ports: &Ports,
        outcome: &CheckOutcome,
        started: Instant,
    ) -> Result<String, CommandError> {
        let stats = outcome.stats(&*ports.store).await?;
        let summary = human::summary(self.style, &stats.verdicts);
        let summary: Vec<&str> = summary.lines().map(str::trim_start).collect();
        Ok(format!(
            "2/8 check    {}, {}, {}   {}\n3/8 judge    {}\n",
            counted(stats.documents, "document"),
            counted(stats.links, "link"),
            counted(stats.hosts, "host"),
            duration(milliseconds_since(started)),
            summary.join("\n             "),
        ))
    }
}

fn milliseconds_since(started: Instant) -> u64 {
    u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// Returns the settings of a check without stored results and without waits between
/// requests.
fn check_settings(input: Input) -> CheckSettings {
    CheckSettings {
        load: LoadSettings {
            inputs: vec![input],
            scope: UrlFilter::default(),
            is_offline: false,
            fresh_since: Timestamp::MAX,
            politeness: PolitenessPolicy::check(1, Duration::ZERO),
            max_host_wait: Duration::from_mins(2),
            retries: 0,
            max_page_bytes: DispatchSettings::MAX_PAGE_BYTES,
            read_options: ReadOptions::default(),
            revision: None,
        },
        dispatch: DispatchSettings {
            concurrency: 64,
            politeness: PolitenessPolicy::check(8, Duration::ZERO),
            policy: Policy { retries: 1, ..Policy::default() },
            ..DispatchSettings::default()
        },
        is_fresh: true,
        scope: BTreeMap::new(),
    }
}

/// A clock that is one year behind.
struct YearAgo(Arc<dyn Clock>);

impl Clock for YearAgo {
    fn now(&self) -> Timestamp {
        let now = self.0.now();
        now.checked_sub(YEAR).unwrap_or(now)
    }
}

/// Collects the verdict of each URL.
#[derive(Default)]
struct VerdictCollector(ReportedVerdicts);

impl Observer for VerdictCollector {
    fn on_result(&mut self, target: &CheckedTarget) -> std::io::Result<()> {
        let result = &target.result;
        self.0.insert(target.original_url.clone(), (result.verdict, result.code));
        Ok(())
    }

    fn on_progress(&mut self, _: &Progress) {}
}

/// The end of the output: commands to try next.
const NEXT_COMMANDS: &str = "\
Next:  relink check README.md      check your files
       relink check --revive .     also search for new URLs of dead pages
       relink explain RL301        explain the code of soft-404s
       relink explain --list       list all codes
       relink decay URL            measure the decay of a page
";
