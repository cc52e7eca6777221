//! Use cases of repairs: finds new URLs and archived copies of dead pages, rewrites links in
//! documents and on wikis, and saves pages in web archives.
//!
//! `revive` searches and stores what it finds. `fix` plans edits from stored results and from
//! another check of the new URLs. Pure rules are in `relink-revive` and `relink-fix`. This
//! crate writes no file and prints nothing.

mod archive;
mod fix;
mod revive;
mod submit;

pub use archive::{CopyState, LivePage, SaveSettings, find_copies, save_pages};
pub use fix::{
    DeadLinkMarks, DocumentError, DocumentFix, FixCause, FixPreference, FixSettings, FixStatus,
    FixStep, FixStyle, LearnedDecisions, LinkFix, SelectedFix, SiteFixes, WikiEditResult,
    WikiEditSettings, WikiEdits, WikiPageEdit, choose_dated_copies, edit_wiki_pages, fetch_page,
    learn_decisions, map_to_sources, plan_document, plan_fixes, reject_unwritable, repair_page,
    select_links, verify_fixes,
};
pub use revive::{
    Alias, DeadPage, PatternContent, RejectedCopy, Replacement, ReplacementSearch, Revival,
    ReviveObserver, ReviveSettings, WeakCandidate, pattern_programs, revive,
};
pub use submit::{SubmitSettings, submit_pages};
