//! Neighbors: pages of the run that serve as controls for other pages of the same
//! directory. A *control* is a page that is only compared with the page to judge: if
//! both redirect to the same URL, that URL is probably an error page.

use std::sync::Arc;

use relink_judge::{has_other_value_and_content, neighborhood, redirect_similarity};
use relink_model::{Control, ControlKind, FetchOutcome, Probe};
use relink_ports::Neighbor;

use super::Dispatcher;
use relink_requests::{EngineError, isolate, missing_control};

/// Kinds of controls that are pages of the run itself.
pub(super) const NEIGHBOR_KINDS: [ControlKind; 2] =
    [ControlKind::Neighbor, ControlKind::SecondNeighbor];
/// Maximum number of pages of a directory from which the two best neighbors are
/// selected.
const MAX_NEIGHBORS: usize = 24;

impl Dispatcher<'_> {
    /// Returns the two pages of the same directory whose URLs are most similar to a
    /// page, out of the pages fetched in this run. Fetches nothing.
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
        let similarity = |neighbor: &Neighbor| {
            let similarity = isolate(url, || {
                redirect_similarity((url, probe), (&neighbor.url, &neighbor.probe))
            });
            similarity.unwrap_or_default()
        };
        let is_success = |neighbor: &Neighbor| {
            matches!(neighbor.probe.outcome, FetchOutcome::Response(200..=299))
        };
        // For a page without redirects, a neighbor with another value of the same
        // parameter and with other content is the best evidence.
        let has_other_value = |neighbor: &Neighbor| {
            let found = isolate(url, || {
                has_other_value_and_content((url, probe), (&neighbor.url, &neighbor.probe))
            });
            probe.hops.len() <= 1 && found.unwrap_or_default()
        };
        neighbors.retain(|neighbor| similarity(neighbor).is_some());
        // The best neighbor comes first: `false` sorts before `true`.
        neighbors.sort_by_cached_key(|neighbor| {
            (!has_other_value(neighbor), similarity(neighbor), !is_success(neighbor))
        });
        let mut neighbors = neighbors.into_iter();
        Ok(NEIGHBOR_KINDS.map(|kind| match neighbors.next() {
            Some(Neighbor { url, probe }) => Control { kind, url, probe: Some(Arc::new(probe)) },
            None => missing_control(kind),
        }))
    }
}
