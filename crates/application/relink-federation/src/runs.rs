//! Runs of one or all providers.
//!
//! Several providers are read at the same time, so that a slow provider does not delay the others.
//! Links are checked and incidents advance provider by provider.

use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::civil::Date;
use relink_ports::StoredProvider;
use relink_report::harvest::HarvestRunRow;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::{Harvester, ProviderSettings, advance};
use relink_requests::{EngineError, StopSignal};

/// A provider with its settings.
type Provider = (StoredProvider, ProviderSettings);
/// The number of a provider in the list, and the report of its run so far.
type NumberedRow = (usize, HarvestRunRow);

impl Harvester<'_> {
    /// Runs providers: reads records, checks links and advances incidents. `on_row` receives the
    /// report of each provider when it is complete. Returns the reports in the order of the list.
    /// After a stop, returns only the reports of the providers that were processed.
    ///
    /// # Errors
    ///
    /// Fails if the store fails. Errors of the providers are part of their reports.
    pub async fn run_all(
        &self,
        providers: &[(StoredProvider, ProviderSettings)],
        stop: &StopSignal,
        on_row: &mut (dyn FnMut(&HarvestRunRow) + Send),
    ) -> Result<Vec<HarvestRunRow>, EngineError> {
        let next = AtomicUsize::new(0);
        let (sender, receiver) = unbounded_channel();
        let reader = |sender| self.read_all(providers, &next, sender, stop);
        // Four readers read one provider each at a time. The channel ends when all readers have
        // ended, because each reader owns a sender.
        let (first, second) = (reader(sender.clone()), reader(sender.clone()));
        let (third, fourth) = (reader(sender.clone()), reader(sender));
        let checks = self.check_all(providers, receiver, stop, on_row);
        let ((), (), (), (), mut rows) = tokio::try_join!(first, second, third, fourth, checks)?;
        rows.sort_by_key(|(number, _)| *number);
        Ok(rows.into_iter().map(|(_, row)| row).collect())
    }

    /// Reads the records of the next providers of the list until its end.
    async fn read_all(
        &self,
        providers: &[Provider],
        next: &AtomicUsize,
        sender: UnboundedSender<NumberedRow>,
        stop: &StopSignal,
    ) -> Result<(), EngineError> {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some((provider, settings)) = providers.get(number) else { return Ok(()) };
            if stop.is_stopped() {
                return Ok(());
            }
            let mut row = HarvestRunRow {
                provider: provider.name.clone(),
                source: settings.origin.to_string(),
                ..HarvestRunRow::default()
            };
            self.read_records(provider, settings, &mut row, stop).await?;
            // Ignore the error: the receiver has failed, and so does the run.
            let _ = sender.send((number, row));
        }
    }

    /// Checks the links of the providers whose records are read.
    async fn check_all(
        &self,
        providers: &[Provider],
        mut receiver: UnboundedReceiver<NumberedRow>,
        stop: &StopSignal,
        on_row: &mut (dyn FnMut(&HarvestRunRow) + Send),
    ) -> Result<Vec<NumberedRow>, EngineError> {
        let mut rows = Vec::new();
        while let Some((number, mut row)) = receiver.recv().await {
            let Some((provider, settings)) = providers.get(number) else { continue };
            if !self.options.reads_only
                && let Some(checks) = self.check_due(provider, settings, &mut row, stop).await?
            {
                self.advance(provider, settings, &checks, &mut row).await?;
            }
            self.count(provider, settings, &mut row).await?;
            on_row(&row);
            rows.push((number, row));
        }
        Ok(rows)
    }

    /// Adds the counts of a provider to its report, and the day of the next check.
    pub(super) async fn count(
        &self,
        provider: &StoredProvider,
        settings: &ProviderSettings,
        row: &mut HarvestRunRow,
    ) -> Result<(), EngineError> {
        let counts = self.store.provider_counts(provider.id).await?;
        (row.records, row.deleted, row.hidden) = (counts.records, counts.deleted, counts.hidden);
        (row.urls, row.domains) = (counts.urls, counts.domains);
        let lifecycle = settings.lifecycle();
        let mut next: Option<Date> = None;
        for (_, state) in self.open_incidents(provider.id).await? {
            advance::count_stage(&mut row.open, state.incident.stage);
            let due = state.incident.next_check(&lifecycle).map(|check| check.on);
            next = next.into_iter().chain(due).min();
        }
        row.next_check = next.map(|day| day.to_string());
        Ok(())
    }
}
