//! Neighbors: pages of the run that serve as controls for other pages.

use std::sync::Arc;

use relink_judge::{has_other_value_and_content, neighborhood, redirect_similarity};
use relink_model::{Control, ControlKind, FetchOutcome, Probe};
use relink_ports::Neighbor;

use super::Dispatcher;
use crate::EngineError;
use crate::isolation::isolate;
use crate::politeness::missing_control;

/// Kinds of controls that are pages of the run itself.
pub(super) const NEIGHBOR_KINDS: [ControlKind; 2] =
    [ControlKind::Neighbor, ControlKind::SecondNeighbor];
/// Maximum number of pages of a directory from which the two best neighbors are
/// selected.
const MAX_NEIGHBORS: usize = 24;
impl Dispatcher<'_> {
    /// Returns the two pages of the same directory that say most about a page, out of
    /// the pages fetched in this run. Fetches nothing.
    pub(super) async fn find_neighbors(
        &self,
        url: &str,
        probe: &Probe,
    ) -> Result<[Control; 2], EngineError> {
        let mut neighbors = match isolate(url, || neighborhood(url)).unwrap_or_default() {
            Some(directory) => {
                self.ports.store.neighbors(self.run.id, directory, url, MAX_NEIGHBORS).await?
            }
            None => Vec::new(),
        };
        let similarity = |other: &Neighbor| {
            let similarity =
                isolate(url, || redirect_similarity((url, probe), (&other.url, &other.probe)));
            similarity.unwrap_or_default()
        };
        let is_accepted =
            |other: &Neighbor| matches!(other.probe.outcome, FetchOutcome::Response(200..=299));
        // A page with another value of the same parameter says more than its redirect.
        let has_other_value = |other: &Neighbor| {
            let found = isolate(url, || {
                has_other_value_and_content((url, probe), (&other.url, &other.probe))
            });
            probe.hops.len() <= 1 && found.unwrap_or_default()
        };
        neighbors.retain(|other| similarity(other).is_some());
        neighbors.sort_by_cached_key(|other| {
            (!has_other_value(other), similarity(other), !is_accepted(other))
        });
        let mut neighbors = neighbors.into_iter();
        Ok(NEIGHBOR_KINDS.map(|kind| match neighbors.next() {
            Some(Neighbor { url, probe }) => Control { kind, url, probe: Some(Arc::new(probe)) },
            None => missing_control(kind),
        }))
    }
}
