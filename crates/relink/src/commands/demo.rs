//! `relink demo`: the whole tour on the built-in rotten library.
//!
//! Everything happens on 127.0.0.1 and in a temporary directory; what was
//! planted is compared with what Relink says.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use relink_demo::{Library, Planted};
use relink_engine::{
    AskSettings, CheckSettings, Input, LoadSettings, Observer, Outcome, Ports, Progress, Stop,
    check,
};
use relink_fetch::Override;
use relink_frontier::{Pace, Scope};
use relink_judge::Policy;
use relink_model::{Code, Word};
use relink_ports::Settled;
use relink_wire::human::{self, Paint, counted, duration};

use crate::cli::Face;
use crate::clock::RunClock;
use crate::commands::paint;
use crate::failure::{Exit, Failure};
use crate::output::print;
use crate::wiring;

/// Short, because everything is near.
const TIMEOUT: Duration = Duration::from_secs(1);

/// Runs the tour.
pub async fn run(face: Face) -> Result<Exit, Failure> {
    let library = Library::start().await.map_err(|fault| {
        Failure::fault("cannot open the library on 127.0.0.1").cause(fault.to_string())
    })?;
    let folder = Workshop::open()?;
    folder.shelve(&library)?;
    let tour = Tour { paint: paint(&face), began: Instant::now() };
    print(&format!(
        "Relink demo · everything below is local (127.0.0.1:{}), nothing is sent out\n",
        library.port()
    ))?;
    let ports = ports(&library, &folder).await?;
    let mut said = Said::default();
    let outcome = check(&ports, &settings(&folder), &mut said, &Stop::new().1).await?;
    tour.tell(&ports, &outcome, &said, &library.planted()).await
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

    /// Writes the library's documents.
    fn shelve(&self, library: &Library) -> Result<(), Failure> {
        for document in library.documents() {
            let path = self.0.join(document.path);
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

async fn ports(library: &Library, folder: &Workshop) -> Result<Ports, Failure> {
    let overrides: Result<Vec<Override>, _> =
        library.overrides().iter().map(|text| text.parse()).collect();
    let fetch = relink_fetch::Settings {
        timeout: TIMEOUT,
        resolve: overrides.map_err(|_| Failure::fault("the library's addresses cannot be read"))?,
        ..relink_fetch::Settings::default()
    };
    wiring::ports(fetch, &folder.0.join("demo.db"), Arc::new(RunClock::start()?)).await
}

fn settings(folder: &Workshop) -> CheckSettings {
    CheckSettings {
        load: LoadSettings {
            inputs: vec![Input::Path(folder.0.display().to_string())],
            scope: Scope::default(),
            is_offline: false,
            fresh_since: Timestamp::MAX,
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

/// What Relink said about each address.
#[derive(Default)]
struct Said(HashMap<String, (Word, Option<Code>)>);

impl Observer for Said {
    fn settled(&mut self, settled: &Settled) -> std::io::Result<()> {
        let settlement = &settled.settlement;
        self.0.insert(settled.given.clone(), (settlement.word, settlement.code));
        Ok(())
    }

    fn progress(&mut self, _: &Progress) {}
}

/// The story told at the end.
struct Tour {
    paint: Paint,
    began: Instant,
}

impl Tour {
    async fn tell(
        &self,
        ports: &Ports,
        outcome: &Outcome,
        said: &Said,
        planted: &[Planted],
    ) -> Result<Exit, Failure> {
        let tally = ports.store.tally(outcome.run).await?;
        let took = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        print(&format!(
            "1/2 check    {}, {}, {}   {}\n2/2 judge  {}\n",
            counted(tally.documents, "document"),
            counted(tally.links, "link"),
            counted(tally.hosts, "host"),
            duration(took),
            human::summary(self.paint, &tally.words),
        ))?;
        let mut right = 0;
        for fault in planted {
            let judged = said.0.get(&fault.address).copied();
            let is_right = judged == Some((fault.word, fault.code));
            right += usize::from(is_right);
            print(&self.line(fault, judged))?;
        }
        print(&format!(
            "\n{right} of {} planted faults judged as planted.\n{NEXT}",
            planted.len()
        ))?;
        Ok(if right == planted.len() { Exit::Clean } else { Exit::Fault })
    }

    fn line(&self, fault: &Planted, judged: Option<(Word, Option<Code>)>) -> String {
        let named = |word: Word, code: Option<Code>| {
            let code = code.map_or_else(|| "     ".to_owned(), |code| code.to_string());
            self.paint.word(word, &format!("{} {word:<9}{code}", word.sign()))
        };
        match judged {
            Some((word, code)) if (word, code) == (fault.word, fault.code) => {
                format!("  {}  {}\n", named(word, code), fault.what)
            }
            Some((word, code)) => format!(
                "  {}  {} (planted as {}: {})\n",
                named(word, code),
                fault.what,
                fault.word,
                fault.address
            ),
            None => format!("  ? not reported  {} ({})\n", fault.what, fault.address),
        }
    }
}

const NEXT: &str = "\
Next:  relink check README.md      your files
       relink explain RL101        what a finding means, and what to do
       relink explain --list       every code there is
";
