//! The versions of pages at two dates, for reviews of the past.

use std::collections::HashMap;

use jiff::Timestamp;
use relink_ports::{CollectionStore, VersionId, WatchedPage};

use crate::WatchError;
use crate::history::version_at;
use crate::library::Library;

/// The two dates of a review of the past.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReviewPeriod {
    /// The time of the earlier version.
    pub from: Timestamp,
    /// The time of the later version.
    pub to: Timestamp,
}

/// The versions of pages at the start and at the end of a period, by URL.
pub(crate) struct DatedVersions(HashMap<String, (Option<VersionId>, Option<VersionId>)>);

impl DatedVersions {
    /// Loads the versions of the pages of the shown collections.
    pub(crate) async fn load(
        store: &dyn CollectionStore,
        shown: &Library,
        period: ReviewPeriod,
    ) -> Result<Self, WatchError> {
        let mut versions = HashMap::new();
        for (_, _, member) in shown.numbered() {
            if !versions.contains_key(&member.url) {
                let from = version_at(store, &member.url, period.from).await?;
                let to = version_at(store, &member.url, period.to).await?;
                versions.insert(member.url.clone(), (from, to));
            }
        }
        Ok(Self(versions))
    }

    /// Replaces the accepted and the latest versions by those of the period.
    pub(crate) fn apply(
        &self,
        shown: &mut Library,
        all: &mut Library,
        pages: &mut HashMap<String, WatchedPage>,
    ) {
        for member in shown.members_mut().chain(all.members_mut()) {
            if let Some((from, _)) = self.0.get(&member.url) {
                member.reference = *from;
            }
        }
        for (url, (_, to)) in &self.0 {
            if let Some(page) = pages.get_mut(url) {
                page.latest = *to;
            }
        }
    }
}
