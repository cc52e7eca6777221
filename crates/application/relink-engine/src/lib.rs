//! Use cases `check`, `crawl` and `survey`, and what other use cases are built from: the
//! scheduler of requests, and checks of single pages.
//!
//! The engine uses the domain crates and the ports. It never opens a socket, a file or a
//! database itself, and never prints. The caller passes [`Ports`](relink_requests::Ports) and
//! an [`Observer`].
//!
//! A loader (`relink-documents`) converts the inputs to links and tasks in the store. A
//! dispatcher fetches the tasks until none is left. Memory use does not depend on the number
//! of URLs; only the store grows.

mod check;
mod crawl;
mod dispatch;
mod judging;
mod observer;
mod page_check;
mod page_reader;
mod page_run;
mod survey;
mod worker;

pub use check::{CheckEnd, CheckOutcome, CheckSettings, check};
pub use crawl::{
    CrawlEnd, CrawlOutcome, CrawlRules, CrawlSettings, HostRobotsInfo, RenderMode, SiteErrors,
    SkippedLinks, count_skipped_links, crawl, parse_seed, previous_crawl, site_report,
};
pub use dispatch::{AT_RISK_DECAY, DispatchSettings, PageSink, ranked_control_key};
pub use observer::{DomainCounts, Observer, Progress, SurveyForecast, Waiting};
pub use page_check::{ControlCache, PageCheck, PageCheckRequest, PageCheckSettings, PageChecker};
pub use page_reader::{PageReader, PageReaderSettings, ReadPage};
pub use page_run::{PageRun, PageRunEnd, check_pages};
pub use survey::{
    Budget, BudgetUse, CatalogError, CatalogFields, CatalogSource, DomainReport, DomainStatus,
    LoadedCatalog, SurveyEnd, SurveyOutcome, SurveyReport, SurveySettings, read_catalog, survey,
};
pub use worker::{WorkerOptions, work};
