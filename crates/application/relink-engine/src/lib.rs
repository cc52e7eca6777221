//! Use cases of Relink: check, crawl, survey, harvest, decay, revive, fix and extract.
//!
//! The engine uses the domain crates and the ports. It never opens a socket, a
//! file or a database itself, and never prints. The caller passes [`Ports`] and
//! an [`Observer`].
//!
//! A loader converts the inputs to links and tasks in the store. A dispatcher
//! fetches the tasks until none is left. Memory use does not depend on the
//! number of URLs; only the store grows.

mod anchors;
mod archive;
mod base;
mod binary;
mod check;
mod crawl;
mod decompress;
mod dispatch;
mod error;
mod extract;
mod fix;
mod harvest;
mod isolation;
mod judging;
mod load;
mod measure;
mod observer;
mod page_check;
mod page_reader;
mod page_run;
mod politeness;
mod ports;
mod probe;
mod reserved;
mod revive;
mod stop;
mod submit;
mod survey;
mod worker;

pub use archive::{CopyState, LivePage, SaveSettings, find_copies, save_pages};
pub use check::{CheckEnd, CheckOutcome, CheckSettings, check};
pub use crawl::{
    CrawlEnd, CrawlOutcome, CrawlRules, CrawlSettings, HostRobotsInfo, RenderMode, SiteErrors,
    SkippedLinks, crawl, parse_seed, previous_crawl, site_report,
};
pub use dispatch::{AT_RISK_DECAY, DispatchSettings, PageSink, ranked_control_key};
pub use error::EngineError;
pub use extract::{ExtractProblem, ExtractSettings, ExtractSummary, StdinReader, extract};
pub use fix::{
    DeadLinkMarks, DocumentError, DocumentFix, FixCause, FixPreference, FixSettings, FixStatus,
    FixStep, FixStyle, LearnedDecisions, LinkFix, SelectedFix, SiteFixes, WikiEditResult,
    WikiEditSettings, WikiEdits, WikiPageEdit, choose_dated_copies, edit_wiki_pages, fetch_page,
    learn_decisions, map_to_sources, plan_document, plan_fixes, repair_page, select_links,
    verify_fixes,
};
pub use harvest::{
    ArrivalFilter, DecayRange, DecayRanking, DecaySource, DeliveryReport, FlagOutcome,
    HarvestOptions, HarvestSubject, Harvester, IncidentState, MailReport, MailSender,
    ManagerAction, NotifyChoice, ProviderSettings, RecordDecay, RecordDecaySettings, RecordOrigin,
    SubjectMatch, Submission, SubmissionState, SubmittedLocation, parse_time_zone,
};
pub use isolation::isolated_item;
pub use load::{
    AssumedSite, CheckSkipReason, Diagnostic, Diagnostics, Input, LoadSettings, LoadSummary,
    LocalRules, PathMap, ReadOptions, SiteChoice, SkipCounts,
};
pub use measure::{
    DISTRIBUTION_BINS, DeadPagesMet, DecayDay, EdgeListError, EdgeLists, FailureList, FailureModel,
    FailureSet, ListOutcome, MeasureEnd, MeasureOutcome, MeasurePorts, MeasureSettings,
    MeasuredPage, NamedDeadEnd, NamedRepair, OwnLinks, PageDecayDetails, PageScore, RequestCost,
    ScoreDistribution, Scores, WebGraph, crawl_graph, decay_over_time, measure, measure_list,
    share_with_lower_decay,
};
pub use observer::{DomainCounts, Observer, Progress, Waiting};
pub use page_check::{ControlCache, PageCheck, PageCheckRequest, PageCheckSettings, PageChecker};
pub use page_reader::{PageReader, PageReaderSettings, ReadPage};
pub use page_run::{PageRun, PageRunEnd, check_pages};
pub use ports::Ports;
pub use revive::{
    Alias, DeadPage, PatternContent, REVIVABLE, RejectedCopy, Replacement, ReplacementSearch,
    Revival, ReviveObserver, ReviveSettings, WeakCandidate, pattern_programs, revive,
};
pub use stop::{StopSignal, StopTrigger};
pub use submit::{SubmitSettings, submit_pages};
pub use survey::{
    Budget, BudgetUse, CatalogError, CatalogFields, CatalogSource, DomainReport, DomainStatus,
    LoadedCatalog, SurveyEnd, SurveyOutcome, SurveyReport, SurveySettings, read_catalog, survey,
};

/// Size in bytes above which a document is read in windows.
const LARGE_DOCUMENT_SIZE: usize = 16 << 20;

/// Size of a window in bytes.
const WINDOW_SIZE: usize = 4 << 20;
pub use worker::{WorkerOptions, work};
