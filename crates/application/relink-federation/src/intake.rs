//! Reads the records of a provider into the store.
//!
//! Each page is stored with the token of the next page, so an interrupted harvest
//! continues with the page that is missing. Deletions are marked while the list
//! is read, and applied at its end if they do not exceed the limit.

use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use relink_frontier::{canonicalize, host_key};
use relink_ports::{
    DatestampUnit, HarvestProgress, HarvestedRecord, NewRecord, RecordPage, RecordQuery,
    RecordSourceError, StoredProvider, StoredRecordLink,
};
use relink_report::harvest::HarvestRunRow;
use url::Url;

use super::list_reader::{ListReader, in_unit};
use super::{Harvester, ProviderSettings, RecordOrigin};
use relink_requests::{EngineError, StopSignal, isolate};

/// The report of a list that the user interrupted.
const INTERRUPTED: &str = "interrupted; the next run continues";
/// The note on a provider whose deletions appear only in a complete list.
const NO_DELETIONS: &str = "the provider does not report deleted records; `--full` finds them";
/// Maximum time in which one run reads the records of a provider. The next run continues.
const MAX_READ_TIME: SignedDuration = SignedDuration::from_hours(12);
/// Maximum number of problems that are reported.
const MAX_PROBLEMS: usize = 20;

impl Harvester<'_> {
    /// Reads the records of a provider and applies its deletions.
    pub(super) async fn read_records(
        &self,
        provider: &StoredProvider,
        settings: &ProviderSettings,
        row: &mut HarvestRunRow,
        stop: &StopSignal,
    ) -> Result<(), EngineError> {
        match &settings.origin {
            RecordOrigin::Oai { base_url, metadata_prefix, sets, from } => {
                let query = RecordQuery {
                    base_url: base_url.clone(),
                    metadata_prefix: metadata_prefix.clone(),
                    set: None,
                    from: from.clone(),
                    location_fields: settings.location_fields.clone(),
                    token: None,
                };
                self.read_lists(provider, settings, query, sets, row, stop).await?;
            }
            RecordOrigin::File(path) => self.read_file(provider, settings, path, row).await?,
            RecordOrigin::Spi => row.intake.is_complete = true,
        }
        self.delete_marked(provider, row).await
    }

    /// Reads the lists of an OAI-PMH provider: one list per set.
    async fn read_lists(
        &self,
        provider: &StoredProvider,
        settings: &ProviderSettings,
        mut query: RecordQuery,
        sets: &[String],
        row: &mut HarvestRunRow,
        stop: &StopSignal,
    ) -> Result<(), EngineError> {
        let info = tokio::select! {
            info = self.source.identify(&query.base_url) => info,
            () = stop.stopped() => {
                row.errors.push(INTERRUPTED.to_owned());
                return Ok(());
            }
        };
        let info = match info {
            Ok(info) => info,
            Err(error) => {
                row.errors.push(error.to_string());
                return Ok(());
            }
        };
        let mut reader = ListReader::new(provider, settings, sets, info.unit);
        if self.options.is_full || !is_resumable(&reader.progress, self.ports.now()) {
            reader.restart();
        }
        if !self.options.is_full && reader.progress.from.is_some() {
            query.from.clone_from(&reader.progress.from);
            if !info.keeps_deletions {
                row.notes.push(NO_DELETIONS.to_owned());
            }
        }
        query.from = query.from.map(|from| in_unit(&from, info.unit));
        if self.read_pages(provider, &mut query, &mut reader, row, stop).await? {
            self.finish_list(provider, reader, row).await?;
        }
        Ok(())
    }

    /// Reads pages until the end of the list. Returns whether it was reached.
    async fn read_pages(
        &self,
        provider: &StoredProvider,
        query: &mut RecordQuery,
        reader: &mut ListReader,
        row: &mut HarvestRunRow,
        stop: &StopSignal,
    ) -> Result<bool, EngineError> {
        let started = self.ports.now();
        loop {
            if stop.is_stopped() {
                row.errors.push(INTERRUPTED.to_owned());
                return Ok(false);
            }
            if self.ports.now().duration_since(started) > MAX_READ_TIME {
                row.errors.push("the list takes too long; the next run continues".to_owned());
                return Ok(false);
            }
            let (set, token) = reader.position();
            query.set = reader.sets.get(set).cloned().flatten();
            query.token = token;
            let page = tokio::select! {
                page = self.source.records(query) => page,
                // The provider may be slow. The page is requested again by the next run.
                () = stop.stopped() => continue,
            };
            let page = match page {
                Ok(page) => page,
                Err(RecordSourceError::InvalidToken { .. }) if !reader.is_restarted => {
                    // The token has expired. Records that are read twice stay the same.
                    reader.restart();
                    reader.is_restarted = true;
                    continue;
                }
                Err(error) => {
                    row.errors.push(error.to_string());
                    return Ok(false);
                }
            };
            let refusal = reader.check_page(&page);
            reader.record_start(&page, self.ports.now());
            let has_more = reader.advance(&page);
            self.save_page(provider, page, reader, row).await?;
            if let Some(refusal) = refusal {
                // The token is not stored, because it leads into the same loop again.
                self.forget_list(provider, reader).await?;
                row.errors.push(refusal.to_owned());
                return Ok(false);
            }
            if !has_more {
                return Ok(true);
            }
        }
    }

    /// Stores a page of records with the position of the next page.
    async fn save_page(
        &self,
        provider: &StoredProvider,
        page: RecordPage,
        reader: &ListReader,
        row: &mut HarvestRunRow,
    ) -> Result<(), EngineError> {
        let intake = &mut row.intake;
        let mut problems = page.problems;
        let records: Vec<NewRecord> =
            page.records.into_iter().map(|record| new_record(record, &mut problems)).collect();
        let now = self.ports.now();
        let (progress, marks) = (&reader.progress, reader.marks_arrivals);
        let changes = self.store.save_page(provider.id, &records, progress, marks, now).await?;
        intake.pages += 1;
        intake.added += changes.added;
        intake.changed += changes.changed;
        intake.unchanged += changes.unchanged;
        let remaining = MAX_PROBLEMS.saturating_sub(intake.problems.len());
        intake.problems.extend(problems.into_iter().take(remaining));
        Ok(())
    }

    /// Deletes the stored token, so that the next run does not continue the list.
    async fn forget_list(
        &self,
        provider: &StoredProvider,
        reader: &mut ListReader,
    ) -> Result<(), EngineError> {
        reader.progress.token = None;
        Ok(self.store.save_progress(provider.id, &reader.progress).await?)
    }

    /// Records that a list was read to its end. The next run reads only later changes.
    async fn finish_list(
        &self,
        provider: &StoredProvider,
        mut reader: ListReader,
        row: &mut HarvestRunRow,
    ) -> Result<(), EngineError> {
        let progress = &mut reader.progress;
        progress.from = progress.list_started.take();
        (progress.token, progress.token_expires_at) = (None, None);
        progress.harvested_at = Some(self.ports.now());
        self.store.save_progress(provider.id, progress).await?;
        row.intake.is_complete = true;
        if self.options.is_full {
            self.store.mark_absent(provider.id, progress.list).await?;
        }
        Ok(())
    }

    /// Reads all records from a file.
    async fn read_file(
        &self,
        provider: &StoredProvider,
        settings: &ProviderSettings,
        path: &Path,
        row: &mut HarvestRunRow,
    ) -> Result<(), EngineError> {
        let name = path.display().to_string();
        let read = match self.ports.files.read(path).await {
            Ok(bytes) => self
                .source
                .file_records(&name, &bytes, &settings.location_fields)
                .map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        let page = match read {
            Ok(page) => page,
            Err(error) => {
                row.errors.push(error);
                return Ok(());
            }
        };
        let mut reader = ListReader::new(provider, settings, &[], DatestampUnit::Second);
        reader.restart();
        reader.progress.harvested_at = Some(self.ports.now());
        self.save_page(provider, page, &reader, row).await?;
        self.store.mark_absent(provider.id, reader.progress.list).await?;
        row.intake.is_complete = true;
        Ok(())
    }

    /// Applies the deletions of a complete list, unless they exceed the limit.
    async fn delete_marked(
        &self,
        provider: &StoredProvider,
        row: &mut HarvestRunRow,
    ) -> Result<(), EngineError> {
        let marked = self.store.pending_deletions(provider.id).await?;
        if marked == 0 || !row.intake.is_complete {
            return Ok(());
        }
        let total = self.store.provider_counts(provider.id).await?.records;
        if let Err(limit) = self.options.loss_limit.check(marked, total)
            && !self.options.allows_loss
        {
            row.refusals.push(format!("deletions were not applied: {limit}"));
            return Ok(());
        }
        row.intake.deleted = self.store.apply_deletions(provider.id, self.ports.now()).await?;
        Ok(())
    }
}

/// Whether an unfinished list can be resumed: its token is known and has not expired.
fn is_resumable(progress: &HarvestProgress, now: Timestamp) -> bool {
    progress.token.is_some() && progress.token_expires_at.is_none_or(|expires| expires > now)
}

/// Converts the links of a record. Links that are not web URLs are problems.
pub(super) fn new_record(record: HarvestedRecord, problems: &mut Vec<String>) -> NewRecord {
    let mut links: Vec<StoredRecordLink> = Vec::new();
    for link in &record.links {
        let canonical = isolate(&link.url, || canonicalize(None, &link.url));
        let Some(url) = canonical.ok().and_then(Result::ok).filter(is_web) else {
            problems.push(format!("record `{}` has an invalid URL", record.identifier));
            continue;
        };
        let host = host_key(&url);
        let (role, original) = (link.role, link.url.clone());
        links.push(StoredRecordLink { role, url: url.into(), host, original, is_shown: true });
    }
    NewRecord { record, links }
}

fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.has_host()
}
