//! What is remembered: runs, links, targets, probes and host clocks.
//!
//! The rules both databases keep:
//!
//! - Probes are only ever added. A target's current state is what was found out
//!   last, whatever the number of the run.
//! - Work is claimed by **host lease**: whoever holds a host's lease may ask
//!   its errands and nobody else may. A lease carries a fencing number that is
//!   checked when results come in, so a worker that lost its lease cannot
//!   overwrite anything.
//! - No transaction is open during a fetch. A probe and the state change it
//!   causes are one transaction.

use std::collections::BTreeMap;
use std::net::IpAddr;

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{
    Code, Confidence, Errand, ErrandId, FailureStreak, Ground, Look, Place, Probe, Purpose,
    RequestRights, RunId, TargetId, Word,
};
use thiserror::Error;

use crate::{AnchorStore, Ledger, ReviveStore, SiteStore};

/// One host, as the store numbers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostId(pub i64);

/// One document of a run, as the store numbers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentId(pub i64);

/// What identifies a run, so that an unfinished one can be found again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunPlan {
    /// The use case, `check`.
    pub command: String,
    /// The inputs as given.
    pub inputs: Vec<String>,
    /// Everything else that decides what is asked, as one text.
    pub scope: String,
}

/// A run that was opened, anew or again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenRun {
    /// Its number.
    pub id: RunId,
    /// When it was first started.
    pub started: Timestamp,
    /// Whether an unfinished run is going on.
    pub is_resumed: bool,
    /// Whether some server was met before the interruption.
    pub has_network: bool,
}

/// How far a run has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// Still at work, or interrupted.
    Open,
    /// All targets are settled.
    Finished,
    /// No host could be reached at all: nothing was decided.
    Void,
}

/// One document that takes part in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDocument {
    /// The path or URL to show.
    pub label: String,
    /// A hash of its bytes.
    pub content: u64,
}

/// What the store knew of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadedDocument {
    /// Its number.
    pub id: DocumentId,
    /// Whether its links are stored already and its bytes are unchanged.
    pub is_unchanged: bool,
}

/// One link to store.
#[derive(Debug, Clone, PartialEq)]
pub struct NewLink {
    /// Where it stands.
    pub place: Place,
    /// The destination as its document writes it.
    pub given: String,
    /// What it leads to.
    pub target: NewTarget,
    /// The place on the target it wants, if it names one that is looked for,
    /// escaped as in a URL.
    pub fragment: Option<String>,
    /// Codes of findings that its document says to leave alone.
    pub hidden: Vec<String>,
}

/// Links of one document to store, in order.
#[derive(Debug, Clone, Copy)]
pub struct LinkBatch<'a> {
    /// The document.
    pub document: DocumentId,
    /// The position of the first of them in the document.
    pub first: usize,
    /// The links.
    pub links: &'a [NewLink],
    /// When.
    pub moments: Moments,
}

/// When links are stored, and how far memory is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moments {
    /// The present moment.
    pub now: Timestamp,
    /// Targets found alive at this moment or later need not be asked again.
    pub fresh_since: Timestamp,
}

/// What a link leads to.
#[derive(Debug, Clone, PartialEq)]
pub enum NewTarget {
    /// A web page to ask.
    Web {
        /// The canonical URL.
        url: String,
        /// The host it is asked at, as the frontier names hosts.
        host: String,
        /// What requests for it may do.
        rights: RequestRights,
    },
    /// Something already settled without asking: a local file, a malformed
    /// address.
    Local {
        /// A key that is the same for the same thing.
        key: String,
        /// Alive or local.
        word: Word,
        /// The code, if it is a finding.
        code: Option<Code>,
        /// The reason in plain words.
        reason: String,
    },
}

/// A host held for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HostLease {
    /// The host.
    pub host: HostId,
    /// The fencing number.
    pub number: i64,
}

/// The durable part of a host's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HostPace {
    /// Not before this moment.
    pub next_at: Timestamp,
    /// The delay between requests learned from response times, in milliseconds.
    pub delay_ms: u32,
    /// The delay since the host asked for fewer requests, in milliseconds; zero
    /// if it did not.
    pub throttle_ms: u32,
    /// When this was stored. A time in the future means that the system clock
    /// has moved back since.
    pub stored_at: Timestamp,
    /// The address it was last asked at.
    pub address: Option<IpAddr>,
}

/// A claimed host with its first errands.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The lease.
    pub lease: HostLease,
    /// The host's name.
    pub name: String,
    /// Its clock.
    pub pace: HostPace,
    /// Errands that are due, oldest first.
    pub errands: Vec<Errand>,
}

/// What a run did to one host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostTally {
    /// The host's name.
    pub name: String,
    /// Requests made, retries and second looks included.
    pub asked: u64,
    /// Those of them that asked for a page to compare with.
    pub controls: u64,
    /// Requests that some server answered.
    pub answered: u64,
    /// Answers that asked for slower visits.
    pub throttled: u64,
    /// Milliseconds spent asking.
    pub busy_ms: u64,
    /// Milliseconds the host's errands waited out of politeness.
    pub waited_ms: u64,
}

/// A result to commit.
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    /// The errand it answers.
    pub errand: ErrandId,
    /// Its target.
    pub target: TargetId,
    /// The lease it was asked under; `None` for results judged later from
    /// stored probes.
    pub lease: Option<HostLease>,
    /// What was seen, if something was asked.
    pub probe: Option<Probe>,
    /// What follows.
    pub step: Step,
    /// The page that was found there, if its links are followed.
    pub page: Option<NewPage>,
    /// The places the page offers to fragments, as [`anchor_hash`] has them,
    /// sorted; nothing where nobody asked or they cannot be told.
    pub anchors: Option<Vec<u32>>,
}

/// A page whose links were read, and belong with the result that brought it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NewPage {
    /// Its address.
    pub label: String,
    /// Whether it is a sitemap, whose links nobody follows but machines.
    pub is_sitemap: bool,
    /// The places it offers to fragments, as [`anchor_hash`] has them, sorted;
    /// nothing where they cannot be told.
    pub anchors: Option<Vec<u32>>,
    /// Its links, in order.
    pub links: Vec<PageLink>,
}

/// A link on a page of a crawl.
#[derive(Debug, Clone, PartialEq)]
pub struct PageLink {
    /// The link.
    pub link: NewLink,
    /// What becomes of its target, if the run does not know it yet.
    pub admission: Admission,
}

/// What becomes of a target that is new to a crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// It is asked.
    Ask {
        /// How many links lie between it and the beginning.
        depth: u32,
        /// Its turn where the order is not first come, first served: the
        /// least is asked first.
        rank: Option<i64>,
        /// Whether it need not be asked if it was alive lately. The links of
        /// a page are not in memory.
        trusts_memory: bool,
    },
    /// It is not asked; the link is kept if its target is known otherwise.
    Leave,
}

/// What a batch of results did to the run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completed {
    /// Errands whose results were refused because their lease was lost.
    pub refused: Vec<ErrandId>,
    /// Targets that are new to the run.
    pub found: u64,
    /// Those of them that needed no asking.
    pub known: u64,
}

/// How the name of a place on a page is kept: in 32 bits, for pages may have
/// thousands of them and only a few are ever wanted.
pub fn anchor_hash(name: &str) -> u32 {
    // FNV-1a: it must be the same on every machine and in every version.
    let mix = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    name.bytes().fold(0x811c_9dc5, mix)
}

/// What follows from a look.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Ask again.
    Again {
        /// Why.
        purpose: Purpose,
        /// Not before this moment.
        not_before: Timestamp,
        /// The looks so far.
        looks: Vec<Look>,
    },
    /// Wait until some host has answered, or until the neighbors have been asked,
    /// before concluding anything.
    Hold {
        /// The looks so far.
        looks: Vec<Look>,
    },
    /// It is not asked after all: the errand and the links to it are forgotten.
    Leave,
    /// Done.
    Settle(Settlement),
}

/// A target's state at the end of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Settlement {
    /// What the reader is told.
    pub word: Word,
    /// The code, if it is a finding.
    pub code: Option<Code>,
    /// The last status seen.
    pub status: Option<u16>,
    /// The reason in plain words.
    pub reason: String,
    /// Since when the word has held.
    pub since: Timestamp,
    /// When it was settled.
    pub at: Timestamp,
    /// The looks it rests on.
    pub looks: Vec<Look>,
    /// The failed runs in a row, this one included; `None` ends a streak.
    pub streak: Option<FailureStreak>,
    /// How sure it is.
    pub confidence: Confidence,
    /// What it rests on beside the looks.
    pub grounds: Vec<Ground>,
}

/// A page asked for comparison, kept for all targets that share its key.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptControl {
    /// What the targets that may share it have in common.
    pub key: String,
    /// The address asked.
    pub url: String,
    /// What came back.
    pub probe: Probe,
}

/// Another target in the same directory.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbor {
    /// Its canonical URL.
    pub url: String,
    /// Its last probe in this run.
    pub probe: Probe,
}

/// All that is remembered of one target.
#[derive(Debug, Clone, PartialEq)]
pub struct Dossier {
    /// The canonical URL.
    pub url: String,
    /// Its latest settled state, with the last probe.
    pub latest: Option<Settled>,
    /// Every settled run, oldest first: when, and which word.
    pub words: Vec<(Timestamp, Word)>,
    /// The probes of the latest run, oldest first.
    pub probes: Vec<Probe>,
}

/// A settled target with all there is to say about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    /// Its errand; results are paged through in this order.
    pub errand: ErrandId,
    /// The URL as its first link writes it.
    pub given: String,
    /// The canonical URL.
    pub url: String,
    /// Its state.
    pub settlement: Settlement,
    /// Whether the answer is remembered from an earlier run.
    pub is_cached: bool,
    /// The last probe, where one was made.
    pub probe: Option<Probe>,
    /// The places that name it, as many as were asked for.
    pub places: Vec<PlaceIn>,
    /// How many links name it.
    pub inlinks: u64,
    /// How far it is from where a crawl began.
    pub depth: Option<u32>,
}

/// Which settled targets to read.
#[derive(Debug, Clone, Copy)]
pub struct SettledQuery<'a> {
    /// Only those after this one.
    pub after: ErrandId,
    /// So many at most.
    pub limit: usize,
    /// Only those of these words, if there are any.
    pub words: Option<&'a [Word]>,
    /// Only those that needed no asking.
    pub is_unasked: bool,
    /// So many places of each at most.
    pub places: usize,
}

impl SettledQuery<'_> {
    /// All of them, with every place.
    pub const ALL: Self = Self {
        after: ErrandId(0),
        limit: usize::MAX,
        words: None,
        is_unasked: false,
        places: usize::MAX,
    };
}

/// The links that name a target, but for those whose documents say to leave
/// its finding alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mentions {
    /// The first of their places.
    pub places: Vec<PlaceIn>,
    /// How many there are.
    pub count: u64,
    /// Whether there are links, and every one of their documents says so: then
    /// the finding is not told.
    pub are_hidden: bool,
}

/// A place and the document it is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceIn {
    /// The document's label.
    pub path: String,
    /// The place in it.
    pub place: Place,
}

/// A run in numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// Links found.
    pub links: u64,
    /// Documents read.
    pub documents: u64,
    /// Hosts asked.
    pub hosts: u64,
    /// Distinct targets.
    pub targets: u64,
    /// Targets settled.
    pub settled: u64,
    /// Targets settled from memory.
    pub cached: u64,
    /// Targets by word.
    pub words: BTreeMap<Word, u64>,
    /// Links left out everywhere else, because their documents say to leave
    /// what was found alone. Targets that only they name are left out, too.
    pub hidden: u64,
}

/// How far a run has come, whether or not it is told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunProgress {
    /// Distinct targets.
    pub targets: u64,
    /// Targets settled.
    pub settled: u64,
}

/// How much the database holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoreSize {
    /// Bytes on disk.
    pub bytes: u64,
    /// Runs remembered.
    pub runs: u64,
    /// Targets known.
    pub targets: u64,
    /// Probes kept.
    pub probes: u64,
}

/// The database could not do its work.
#[derive(Debug, Error)]
pub enum StoreFault {
    /// Another process holds it.
    #[error("the database `{place}` is in use by another process")]
    InUse {
        /// The file.
        place: String,
    },
    /// It was written by a newer Relink.
    #[error(
        "the database `{place}` was written by a newer Relink (schema {found}, this build knows {known})"
    )]
    Newer {
        /// The file.
        place: String,
        /// Its schema.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// The file is something else.
    #[error("`{place}` is not a Relink database")]
    NotOurs {
        /// The file.
        place: String,
    },
    /// It cannot be reached.
    #[error("cannot open the database `{place}`")]
    Unreachable {
        /// The file.
        place: String,
        /// What the system said.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// There is no room left.
    #[error("no room left for the database `{place}`")]
    Full {
        /// The file.
        place: String,
    },
    /// A statement failed, or a stored value cannot be read.
    #[error("the database failed while {doing}")]
    Failed {
        /// What was being done.
        doing: &'static str,
        /// What it said.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// Remembers everything.
#[async_trait]
pub trait Store: SiteStore + AnchorStore + ReviveStore + Ledger + Send + Sync {
    /// Opens the unfinished run of the same plan, or a new one.
    ///
    /// With `fresh`, an unfinished one is left as it is and never resumed.
    async fn open_run(
        &self,
        plan: &RunPlan,
        fresh: bool,
        now: Timestamp,
    ) -> Result<OpenRun, StoreFault>;

    /// Says that a document takes part in the run. If its bytes changed since
    /// it was last loaded, its old links are forgotten.
    async fn load_document(
        &self,
        run: RunId,
        document: &NewDocument,
    ) -> Result<LoadedDocument, StoreFault>;

    /// Adds links of a document. Targets not yet known to the run become
    /// errands, or are settled from memory if they were alive lately. Where a
    /// link wants a place, memory must know which places there are.
    async fn add_links(&self, run: RunId, batch: LinkBatch<'_>) -> Result<(), StoreFault>;

    /// Marks a document as loaded whole.
    async fn finish_document(&self, document: DocumentId) -> Result<(), StoreFault>;

    /// Ends loading: forgets documents that no longer take part and errands
    /// that no link names any more.
    async fn finish_loading(&self, run: RunId, documents: &[DocumentId]) -> Result<(), StoreFault>;

    /// Leases up to `hosts` hosts with errands that are due, with up to
    /// `errands` of each.
    async fn claim(
        &self,
        run: RunId,
        hosts: usize,
        errands: usize,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<Claim>, StoreFault>;

    /// More due errands of a leased host, after the last one it was given.
    async fn refill(
        &self,
        run: RunId,
        lease: HostLease,
        after: (Timestamp, ErrandId),
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<Errand>, StoreFault>;

    /// Keeps leases a while longer.
    async fn renew(&self, leases: &[HostLease], until: Timestamp) -> Result<(), StoreFault>;

    /// Gives a host back, with its clock and what was done to it.
    async fn release(
        &self,
        run: RunId,
        lease: HostLease,
        pace: &HostPace,
        tally: &HostTally,
    ) -> Result<(), StoreFault>;

    /// When the next errand of a host that is not leased falls due.
    async fn next_due(&self, run: RunId) -> Result<Option<Timestamp>, StoreFault>;

    /// Commits results in one transaction, with the links of their pages.
    async fn complete(
        &self,
        run: RunId,
        completions: &[Completion],
        moments: Moments,
    ) -> Result<Completed, StoreFault>;

    /// Remembers that some server was met.
    async fn prove_network(&self, run: RunId) -> Result<(), StoreFault>;

    /// Errands on hold with the last probe of each, after `after`.
    async fn held(
        &self,
        run: RunId,
        after: ErrandId,
        limit: usize,
    ) -> Result<Vec<(Errand, Probe)>, StoreFault>;

    /// Settled targets, in the order they were found. Findings that every
    /// document says to leave alone are left out.
    async fn settled(
        &self,
        run: RunId,
        query: SettledQuery<'_>,
    ) -> Result<Vec<Settled>, StoreFault>;

    /// The links that name each of these errands' targets, with so many of
    /// their places at most, in the order of the errands.
    async fn mentions(
        &self,
        errands: &[ErrandId],
        places: usize,
    ) -> Result<Vec<Mentions>, StoreFault>;

    /// The control kept under this key, if it was asked at this moment or later.
    async fn control(&self, key: &str, since: Timestamp)
    -> Result<Option<KeptControl>, StoreFault>;

    /// Keeps controls; a newer one takes the place of an older one.
    async fn keep_controls(&self, controls: &[KeptControl]) -> Result<(), StoreFault>;

    /// Other targets whose URLs begin with `directory` and that were asked in
    /// this run: those next to `url` in the order of their URLs, the nearest
    /// first.
    async fn neighbors(
        &self,
        run: RunId,
        directory: &str,
        url: &str,
        limit: usize,
    ) -> Result<Vec<Neighbor>, StoreFault>;

    /// All that is remembered of the target with this canonical URL.
    async fn dossier(&self, url: &str) -> Result<Option<Dossier>, StoreFault>;

    /// How far the run has come.
    async fn progress(&self, run: RunId) -> Result<RunProgress, StoreFault>;

    /// The run in numbers, its targets aside.
    async fn sources(&self, run: RunId) -> Result<Tally, StoreFault>;

    /// The run in numbers.
    async fn tally(&self, run: RunId) -> Result<Tally, StoreFault>;

    /// The hosts of the run that were asked most, busiest first.
    async fn hosts(&self, run: RunId, limit: usize) -> Result<Vec<HostTally>, StoreFault>;

    /// Closes a run.
    async fn close_run(
        &self,
        run: RunId,
        state: RunState,
        now: Timestamp,
    ) -> Result<(), StoreFault>;

    /// How much the database holds.
    async fn size(&self) -> Result<StoreSize, StoreFault>;

    /// Forgets runs closed before `before` and probes older than that, but
    /// never a target's current state nor what its last good page said.
    async fn prune(&self, before: Timestamp) -> Result<StoreSize, StoreFault>;

    /// Gives unused room back to the disk.
    async fn vacuum(&self) -> Result<(), StoreFault>;
}
