//! Use cases of Relink: check, crawl, survey and extract, and the parts that the other use
//! cases are built from: fetching with rate limits, checks of single pages, error isolation.
//!
//! The engine uses the domain crates and the ports. It never opens a socket, a
//! file or a database itself, and never prints. The caller passes [`Ports`] and
//! an [`Observer`].
//!
//! A loader converts the inputs to links and tasks in the store. A dispatcher
//! fetches the tasks until none is left. Memory use does not depend on the
//! number of URLs; only the store grows.

mod anchors;
mod base;
mod binary;
mod check;
mod crawl;
mod decompress;
mod dispatch;
mod error;
mod extract;
mod isolation;
mod judging;
mod load;
mod observer;
mod page_check;
mod page_reader;
mod page_run;
mod politeness;
mod ports;
mod probe;
mod reserved;
mod stop;
mod survey;
mod worker;

pub use check::{CheckEnd, CheckOutcome, CheckSettings, check};
pub use crawl::{
    BadLink, CrawlEnd, CrawlOutcome, CrawlRules, CrawlSettings, HostRobotsInfo, ParsedLink,
    ParsedPage, RenderMode, SiteErrors, SitemapKind, SkippedLinks, count_skipped_links, crawl,
    parse_page, parse_seed, previous_crawl, site_report,
};
pub use decompress::is_gzip;
pub use dispatch::{AT_RISK_DECAY, DispatchSettings, PageSink, ranked_control_key};
pub use error::{EngineError, to_json};
pub use extract::{ExtractProblem, ExtractSettings, ExtractSummary, StdinReader, extract};
pub use isolation::{Panicked, isolate, isolate_async, isolated_item};
pub use load::{
    AssumedSite, CheckSkipReason, Diagnostic, Diagnostics, Input, LoadSettings, LoadSummary,
    LocalRules, PathMap, ReadOptions, SiteChoice, SkipCounts, content_hash,
};
pub use observer::{DomainCounts, Observer, Progress, Waiting};
pub use page_check::{ControlCache, PageCheck, PageCheckRequest, PageCheckSettings, PageChecker};
pub use page_reader::{PageReader, PageReaderSettings, ReadPage};
pub use page_run::{PageRun, PageRunEnd, check_pages};
pub use politeness::{PoliteFetch, PoliteFetchSettings, RequestRefusal, THROTTLING_STATUSES};
pub use ports::{BEFORE_FIRST_TASK, Ports};
pub use probe::final_url;
pub use stop::{StopSignal, StopTrigger};
pub use survey::{
    Budget, BudgetUse, CatalogError, CatalogFields, CatalogSource, DomainReport, DomainStatus,
    LoadedCatalog, SurveyEnd, SurveyOutcome, SurveyReport, SurveySettings, read_catalog, survey,
};
pub use worker::{WorkerOptions, work};

/// Size in bytes above which a document is read in windows.
const LARGE_DOCUMENT_SIZE: usize = 16 << 20;

/// Size of a window in bytes.
const WINDOW_SIZE: usize = 4 << 20;
