//! What do we do? The use cases of Relink, over ports.
//!
//! The engine knows the rules (Reason) and the ports, and no edge: it never
//! opens a socket, a file or a database itself, and it never prints. Whoever
//! calls it hands in [`Ports`] and an [`Observer`].
//!
//! Every use case goes the same way: the loader turns inputs into links and
//! errands in the store, and the asker works them off until none is left.
//! Nothing here grows with the number of addresses; only the store does.

mod anchors;
mod ask;
mod base;
mod binary;
mod check;
mod crawl;
mod examine;
mod extract;
mod fault;
mod host_pace;
mod isolation;
mod judging;
mod load;
mod look;
mod measure;
mod observer;
mod polite_fetch;
mod ports;
mod reserved;
mod revive;
mod robots;
mod stop;
mod survey;
mod unpack;

pub use ask::AskSettings;
pub use check::{CheckSettings, End, Outcome, check};
pub use crawl::{
    CrawlEnd, CrawlOutcome, CrawlRules, CrawlSettings, HostNote, LeftAside, RenderMode, SiteErrors,
    crawl, crawl_before, seed, site_report,
};
pub use examine::{ControlShelf, ExamineSettings, Examined, Examiner, Question};
pub use extract::{ExtractProblem, ExtractSettings, Extracted, StdinReader, extract};
pub use fault::EngineFault;
pub use isolation::isolated_item;
pub use load::{Input, LoadSettings, Loaded, LocalRules, Reading, Remark, Remarked, Skip, Skips};
pub use measure::{
    Account, BARS, EdgeListError, EdgeLists, Expense, Fails, FailureSet, KnownWeb, MeasureEnd,
    MeasurePorts, MeasureSettings, Measured, NamedDeadEnd, NamedRepair, OwnLinks, PageScore,
    Scores, Spread, crawled_web, measure, worse_than,
};
pub use observer::{Observer, Progress, Standings, Waiting};
pub use ports::Ports;
pub use revive::{
    Alias, DeadPage, Elsewhere, Other, PassedOver, REVIVABLE, Replacement, Revival, ReviveObserver,
    ReviveSettings, lesson_programs, revive,
};
pub use stop::{Stop, StopSwitch};
pub use survey::{
    Budget, BudgetUse, CatalogueFault, CatalogueFields, CatalogueSource, DomainReport,
    ReadCatalogue, Standing, SurveyEnd, SurveyOutcome, SurveyReport, SurveySettings,
    read_catalogue, survey,
};

/// A document of more bytes than this is read in windows.
const HUGE: usize = 16 << 20;

/// Bytes in such a window.
const WINDOW: usize = 4 << 20;
