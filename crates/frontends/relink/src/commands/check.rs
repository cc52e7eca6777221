//! `relink check`: are the links alive?

mod reviving;

use std::sync::Arc;

use relink_engine::{End, EngineFault, Outcome, Ports, Remark, Remarked, Stop, check};
use relink_model::ErrandId;
use relink_ports::Clock as _;
use relink_report::human::{counted, remark};

pub use self::reviving::dead_pages;
use super::revive::{archives, engines};
use super::signals::stop_on_signal;
use crate::cli::{CheckArgs, Face, Format};
use crate::clock::RunClock;
use crate::failure::{Exit, Failure};
use crate::output::{Reporter, RunEnd, Story};
use crate::panic_hook;
use crate::settings::{Looking, RunSettings, Settings};
use crate::wiring;

/// Checks.
pub async fn run(args: CheckArgs, face: Face) -> Result<Exit, Failure> {
    let clock = RunClock::start()?;
    let settings = Settings::resolve(args, clock.now())?;
    let run = &settings.run;
    let mut ports = wiring::ports(run.fetch.clone(), &run.db, Arc::new(clock)).await?;
    let mut reporter = Reporter::new(run, &face, ports.clock.now())?;
    if let Some(looking) = &settings.looking {
        ports.archives = archives(looking, &ports)?;
        reporter = reporter.holding_dead_pages();
    }
    let stop = stop_on_signal();
    let outcome = match check(&ports, &settings.check, &mut reporter, &stop).await {
        Err(EngineFault::Output(fault)) if fault.kind() == std::io::ErrorKind::BrokenPipe => {
            // Whoever read our results has had enough.
            return Ok(Exit::Clean);
        }
        outcome => outcome?,
    };
    if let Some(looking) = settings.looking.as_ref().filter(|_| outcome.end == End::Finished) {
        reporter.pause();
        let failures = suggest(&mut ports, looking, &settings.run, &outcome, &face, &stop).await;
        // What is only offered beside the findings must not keep them back.
        if !face.quiet {
            failures.iter().for_each(Failure::remark);
        }
    }
    reporter.release(&ports, outcome.run).await?;
    let mut end = run_end(&ports, run, &outcome).await?;
    if stop.is_raised() {
        end.exit = Exit::Interrupted;
    }
    reporter.finish(&ports, &end).await?;
    if run.format == Format::Jsonl && !face.quiet {
        tell_problems(&outcome.loaded.problems);
    }
    let ended = match outcome.end {
        End::NoNetwork => Err(no_network(&ports, &outcome, &end).await?),
        End::Finished | End::Interrupted => Ok(end.exit),
    };
    wiring::close(ports).await;
    ended
}

/// Looks for what is dead, as far as that can be done; says what cannot.
async fn suggest(
    ports: &mut Ports,
    looking: &Looking,
    run: &RunSettings,
    outcome: &Outcome,
    face: &Face,
    stop: &Stop,
) -> Vec<Failure> {
    // Only now does the index know what this check has seen.
    let (engines, mut failures) = engines::open_most(looking, &run.db, ports).await;
    ports.searches = engines;
    let looked = reviving::look(ports, &looking.revive, outcome.run, face, stop).await;
    failures.extend(looked.err());
    failures
}

/// Says beside the results what could not be read; lines of JSON have no room
/// for it.
#[expect(clippy::print_stderr, reason = "this is what stderr is for")]
fn tell_problems(problems: &Remarked) {
    for Remark { path, line, text } in &problems.remarks {
        eprintln!("problem: {}", remark(path, *line, text));
    }
    if problems.more > 0 {
        eprintln!("problem: and {} more", problems.more);
    }
}

async fn run_end(
    ports: &Ports,
    settings: &RunSettings,
    outcome: &Outcome,
) -> Result<RunEnd, Failure> {
    let tally = outcome.tally(&*ports.store).await?;
    let failing = settings.failing(&tally);
    let exit = match outcome.end {
        End::Interrupted => Exit::Interrupted,
        End::NoNetwork => Exit::Undecided,
        End::Finished if outcome.doubt.is_some() => Exit::Undecided,
        End::Finished if failing > 0 => Exit::Findings,
        End::Finished => panic_hook::exit(Exit::Clean),
    };
    Ok(RunEnd {
        run: outcome.run,
        started: outcome.started,
        story: Story::Check(Box::new(outcome.clone())),
        tally,
        failing,
        exit,
        finished: ports.clock.now(),
    })
}

async fn no_network(ports: &Ports, outcome: &Outcome, end: &RunEnd) -> Result<Failure, Failure> {
    let hosts = counted(end.tally.hosts, "host");
    let mut failure = Failure::undecided("no host answered, so no page was judged")
        .cause(format!("{hosts} asked, none could be reached"));
    if let Some((errand, probe)) = ports.store.held(outcome.run, ErrandId(0), 1).await?.first() {
        failure = failure.cause(format!("{}: {}", errand.url, probe.ending));
    }
    Ok(failure.hint("is this machine online? `--offline` checks local links only"))
}
