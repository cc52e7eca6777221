//! Checks the fragments of links to web pages after every page is checked.
//!
//! A *fragment* is the `#` part of a URL; an *anchor* is the id in the page that the
//! fragment names. A page is fetched once, regardless of the number of fragments that
//! refer to it. A missing anchor breaks the link and not the page, so it is a separate
//! finding.

use jiff::Timestamp;
use relink_judge::codes;
use relink_model::Verdict;
use relink_ports::{
    AnchorReference, CacheWindow, DocumentId, LinkCursor, MissingAnchor, NewTarget,
};
use url::Url;

use super::Dispatcher;
use crate::Observer;
use relink_documents::{decoded, has_anchor};
use relink_requests::{BEFORE_FIRST_TASK, EngineError};

/// Number of links read from the store at a time. Each link is read with the anchors of
/// its target.
const PAGE_SIZE: usize = 128;

impl Dispatcher<'_> {
    /// Finds and reports missing anchors.
    pub(super) async fn judge_anchors(
        &mut self,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        // The findings are added to the store as new targets, after this one.
        let last_page = self.ports.store.last_task_id(self.run.id).await?;
        let mut cursor: LinkCursor = (BEFORE_FIRST_TASK, DocumentId(0), 0);
        loop {
            let references =
                self.ports.store.anchor_references(self.run.id, cursor, PAGE_SIZE).await?;
            let Some(end) = references.last() else { break };
            cursor = end.link;
            let missing: Vec<MissingAnchor> =
                references.into_iter().filter_map(missing_anchor).collect();
            let cache_window = CacheWindow { now: self.ports.now(), fresh_since: Timestamp::MAX };
            let added =
                self.ports.store.add_missing_anchors(self.run.id, &missing, cache_window).await?;
            self.reports.targets += added;
            self.reports.checked += added;
        }
        self.report_after(last_page, observer).await
    }
}

/// Returns the finding if the page lacks the anchor.
fn missing_anchor(reference: AnchorReference) -> Option<MissingAnchor> {
    let AnchorReference { link, url, fragment, anchors } = reference;
    if has_anchor(&anchors, &fragment) {
        return None;
    }
    let mut url = Url::parse(&url).ok()?;
    url.set_fragment(Some(&fragment));
    let target = NewTarget::Local {
        key: url.into(),
        verdict: Verdict::Local,
        code: Some(codes::MISSING_ANCHOR),
        reason: format!("no anchor `#{}` on that page", decoded(&fragment)),
    };
    Some(MissingAnchor { link, target })
}
