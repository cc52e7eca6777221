//! Watches the reading list of the demo site and compares the proposed steps with the
//! planted changes.
//!
//! A collection is a stored set of pages, such as a reading list; its pages are members.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use relink_change::SimilarityWeights;
use relink_demo::{Library, PlannedReading, SimulatedTime};
use relink_engine::DispatchSettings;
use relink_frontier::PolitenessPolicy;
use relink_judge::Policy;
use relink_keyphrase::{PlanLimits, SearchGoal};
use relink_model::{Confidence, RequestRights};
use relink_ports::CollectionStore;
use relink_repair::{ReplacementSearch, ReviveSettings};
use relink_report::human::{counted, duration};
use relink_report::watch::WatchReport;
use relink_requests::{Ports, StopSignal};
use relink_watch::{
    AddContent, AddRequest, MemberSelector, SuggestRequest, WatchSettings, add_collection,
    review_collection, suggest_replacements, watch_pages,
};

use super::{VerdictCollector, YearAgo, milliseconds_since};
use crate::commands::revive::engines;
use crate::error::CommandError;
use crate::settings::{ReviveSetup, SearchChoice};

/// The name of the collection under test.
const READING_LIST: &str = "reading";

/// The name of a second collection, which contains the replacement of a deleted page.
const OTHER_LIST: &str = "pantry";

/// The title of the page that is deleted within the year.
const DELETED_TITLE: &str = "Cider";

/// The review of the reading list, and the ground truth.
pub(super) struct DemoReading {
    /// The pages of the list with the expected next steps.
    truth: Vec<PlannedReading>,
    report: WatchReport,
    /// The URL that replaces the deleted page.
    replacement: String,
    /// The URLs that the search for a replacement found.
    candidates: Vec<String>,
    duration_ms: u64,
}

/// Watches the list in its state of a year ago and of today.
pub(super) async fn watch_list(
    library: &Library,
    ports: &Ports,
    store: &dyn CollectionStore,
    db: &Path,
) -> Result<DemoReading, CommandError> {
    let started = Instant::now();
    let (text, truth) = library.reading_list();
    let past = Ports { clock: Arc::new(YearAgo(Arc::clone(&ports.clock))), ..ports.clone() };
    add_collection(&past, store, &add_request(READING_LIST, text)).await?;
    // The search for a replacement only finds pages that were fetched, so the replacement
    // is a member of another collection.
    let other = format!("- <{}>\n", library.reading_replacement());
    add_collection(&past, store, &add_request(OTHER_LIST, other)).await?;
    library.set_time(SimulatedTime::OneYearAgo);
    fetch_pages(&past, store).await?;
    library.set_time(SimulatedTime::Today);
    fetch_pages(ports, store).await?;
    let report = review_collection(ports, store, READING_LIST, "demo").await?;
    let replacement = library.reading_replacement();
    let candidates = search_replacements(ports, store, db, &report).await?;
    let duration_ms = milliseconds_since(started);
    Ok(DemoReading { truth, report, replacement, candidates, duration_ms })
}

/// Returns the request that adds a Markdown list as a collection.
fn add_request(name: &str, text: String) -> AddRequest {
    AddRequest {
        name: name.to_owned(),
        source: format!("{name}.md"),
        content: AddContent::File {
            extension: Some("md".to_owned()),
            bytes: text.into_bytes(),
            format: None,
        },
        context: None,
        description: None,
        tags: Vec::new(),
        keeps_text: false,
    }
}

/// Fetches the pages of all collections and compares them with their last versions.
async fn fetch_pages(ports: &Ports, store: &dyn CollectionStore) -> Result<(), CommandError> {
    let settings = WatchSettings {
        names: Vec::new(),
        checks_all: true,
        dispatch: DispatchSettings {
            politeness: PolitenessPolicy::check(8, Duration::ZERO),
            policy: Policy { retries: 0, ..Policy::default() },
            ..DispatchSettings::default()
        },
        rights: RequestRights::user_supplied(),
    };
    let mut collector = VerdictCollector::default();
    watch_pages(ports, store, &settings, &mut collector, &StopSignal::never()).await?;
    Ok(())
}

/// Searches for pages that can replace the deleted page. Returns their URLs.
async fn search_replacements(
    ports: &Ports,
    store: &dyn CollectionStore,
    db: &Path,
    report: &WatchReport,
) -> Result<Vec<String>, CommandError> {
    let Some(deleted) = report.members().find(|member| member.title == DELETED_TITLE) else {
        return Ok(Vec::new());
    };
    let setup = revive_setup();
    let mut ports = ports.clone();
    ports.search_engines = engines::open(&setup, db, &ports).await?;
    let member = MemberSelector::Number(deleted.number);
    let request = SuggestRequest {
        collection: READING_LIST,
        member: &member,
        rights: RequestRights::user_supplied(),
        identical: PlanLimits::for_goal(SearchGoal::Identical),
        similar: PlanLimits {
            initial_phrases: 4,
            enough_results: 3,
            ..PlanLimits::for_goal(SearchGoal::Similar)
        },
        weights: SimilarityWeights::default(),
        linked_pages: 0,
    };
    let stop = StopSignal::never();
    let found = suggest_replacements(&ports, store, &request, &setup.revive, &stop).await?;
    Ok(found.candidates.into_iter().map(|candidate| candidate.url).collect())
}

fn revive_setup() -> ReviveSetup {
    ReviveSetup {
        revive: ReviveSettings {
            politeness: PolitenessPolicy::check(8, Duration::ZERO),
            max_host_wait: Duration::ZERO,
            policy: Policy { retries: 0, ..Policy::default() },
            live_pages: Vec::new(),
            fresh_since: jiff::Timestamp::MAX,
            min_confidence: Confidence::CERTAIN,
            link_date: None,
            replacements: ReplacementSearch::Never,
            max_searches: 0,
        },
        archives: Vec::new(),
        searches: vec![SearchChoice::Local],
        warcs: Vec::new(),
        archive_budget: None,
        search_budget: None,
    }
}

impl DemoReading {
    /// Returns the pages whose proposed step is not the expected one.
    fn unexpected_steps(&self) -> Vec<&PlannedReading> {
        let next_step = |url: &str| {
            let member = self.report.members().find(|member| member.url == url);
            member.and_then(|member| member.next_step).map_or("none", |step| step.as_str())
        };
        self.truth.iter().filter(|page| next_step(&page.url) != page.next_step).collect()
    }

    /// Whether every step and the replacement are as expected.
    pub(super) fn matches_truth(&self) -> bool {
        self.unexpected_steps().is_empty() && self.candidates.contains(&self.replacement)
    }

    /// Formats the line `7/8 watch    8 pages of a reading list: 8 of 8 changes …`.
    pub(super) fn line(&self) -> String {
        let wrong = self.unexpected_steps();
        let events = self.truth.iter().map(|page| page.event);
        let mut events: Vec<&str> = events.filter(|event| *event != "unchanged").collect();
        events.dedup();
        let all = self.truth.len();
        let mut text = format!(
            "7/8 watch    {} of a reading list, {} of {all} with the expected next step \
             ({}); replacement {}   {}\n",
            counted(all as u64, "page"),
            all - wrong.len(),
            events.join(", "),
            if self.candidates.contains(&self.replacement) { "found" } else { "not found" },
            duration(self.duration_ms),
        );
        for page in wrong {
            // Ignore the result: writing to a string cannot fail.
            let _ = writeln!(text, "             unexpected step for {}", page.url);
        }
        text
    }
}
