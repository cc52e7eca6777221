//! What do we do? The use cases of Relink, over ports.
//!
//! The engine knows the rules (Reason) and the ports, and no edge: it never
//! opens a socket, a file or a database itself, and it never prints. Whoever
//! calls it hands in [`Ports`] and an [`Observer`].
//!
//! Every use case goes the same way: the loader turns inputs into links and
//! tasks in the store, and the asker works them off until none is left.
//! Nothing here grows with the number of addresses; only the store does.

mod anchors;
mod base;
mod binary;
mod check;
mod crawl;
mod decompress;
mod dispatch;
mod error;
mod extract;
mod host_pace;
mod isolation;
mod judging;
mod load;
mod measure;
mod observer;
mod page_check;
mod polite_fetch;
mod ports;
mod probe;
mod reserved;
mod revive;
mod robots;
mod stop;
mod survey;

pub use check::{CheckEnd, CheckOutcome, CheckSettings, check};
pub use crawl::{
    CrawlEnd, CrawlOutcome, CrawlRules, CrawlSettings, HostNote, RenderMode, SiteErrors,
    SkippedLinks, crawl, crawl_before, seed, site_report,
};
pub use dispatch::DispatchSettings;
pub use error::EngineError;
pub use extract::{ExtractProblem, ExtractSettings, ExtractSummary, StdinReader, extract};
pub use isolation::isolated_item;
pub use load::{
    CheckSkipReason, Diagnostic, Diagnostics, Input, LoadSettings, LoadSummary, LocalRules,
    ReadOptions, SkipCounts,
};
pub use measure::{
    BARS, EdgeListError, EdgeLists, FailureModel, FailureSet, MeasureEnd, MeasureOutcome,
    MeasurePorts, MeasureSettings, NamedDeadEnd, NamedRepair, OwnLinks, PageDecayDetails,
    PageScore, RequestCost, ScoreDistribution, Scores, WebGraph, crawled_web, measure, worse_than,
};
pub use observer::{DomainCounts, Observer, Progress, Waiting};
pub use page_check::{ControlCache, ExamineSettings, PageCheck, PageCheckRequest, PageChecker};
pub use ports::Ports;
pub use revive::{
    Alias, DeadPage, REVIVABLE, RejectedCopy, Replacement, ReplacementSearch, Revival,
    ReviveObserver, ReviveSettings, WeakCandidate, lesson_programs, revive,
};
pub use stop::{StopSignal, StopTrigger};
pub use survey::{
    Budget, BudgetUse, CatalogError, CatalogFields, CatalogSource, DomainReport, DomainStatus,
    LoadedCatalog, SurveyEnd, SurveyOutcome, SurveyReport, SurveySettings, read_catalog, survey,
};

/// A document of more bytes than this is read in windows.
const HUGE: usize = 16 << 20;

/// Bytes in such a window.
const WINDOW: usize = 4 << 20;
