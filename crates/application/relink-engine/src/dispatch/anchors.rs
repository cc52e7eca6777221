//! Places that links want on web pages, told once every page is settled.
//!
//! A page is asked once, however many of its places are wanted. A missing one
//! breaks the link and not the page, so it is a finding of its own.

use jiff::Timestamp;
use relink_judge::codes;
use relink_model::{TaskId, Verdict};
use relink_ports::{
    AnchorReference, CacheWindow, DocumentId, LinkCursor, MissingAnchor, NewTarget,
};
use url::Url;

use super::Dispatcher;
use crate::anchors::{offers, shown};
use crate::{EngineError, Observer};

/// Links read from the store at a time: each comes with its page's places.
const PIECE: usize = 128;

impl Dispatcher<'_> {
    /// Finds and reports places that links want and pages do not have.
    pub(super) async fn judge_anchors(
        &mut self,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let last = self.ports.store.last_task_id(self.run).await?;
        let mut cursor: LinkCursor = (TaskId(0), DocumentId(0), 0);
        loop {
            let piece = self.ports.store.anchor_references(self.run, cursor, PIECE).await?;
            let Some(end) = piece.last() else { break };
            cursor = end.link;
            let missing: Vec<MissingAnchor> = piece.into_iter().filter_map(missing).collect();
            let moments = CacheWindow { now: self.ports.now(), fresh_since: Timestamp::MAX };
            let new = self.ports.store.add_missing_anchors(self.run, &missing, moments).await?;
            self.targets += new;
            self.checked += new;
        }
        self.report_settled(last, observer).await
    }
}

/// The finding, if the page does not have the place.
fn missing(wanted: AnchorReference) -> Option<MissingAnchor> {
    let AnchorReference { link, url, fragment, anchors } = wanted;
    if offers(&anchors, &fragment) {
        return None;
    }
    let mut place = Url::parse(&url).ok()?;
    place.set_fragment(Some(&fragment));
    let target = NewTarget::Local {
        key: place.into(),
        verdict: Verdict::Local,
        code: Some(codes::MISSING_ANCHOR),
        reason: format!("no anchor `#{}` on that page", shown(&fragment)),
    };
    Some(MissingAnchor { link, target })
}
