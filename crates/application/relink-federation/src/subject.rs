//! Finds what an action of a manager or user applies to: a record, a URL, a host or a whole
//! provider, and the records that belong to it.

use relink_frontier::canonicalize;
use relink_ports::{RecordFilter, StoredProvider, StoredRecord, StoredRecordLink, TargetSelection};
use relink_survey::OverrideScope;

use super::{Harvester, PAGE_SIZE};
use relink_requests::EngineError;

/// The records, target, domain or provider to which an action applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HarvestSubject {
    /// The scope.
    pub scope: OverrideScope,
    /// The identifier, canonical URL, host or provider name.
    pub name: String,
}

/// A subject that was found, with the records it includes.
#[derive(Debug, Clone)]
pub struct SubjectMatch {
    /// The subject.
    pub subject: HarvestSubject,
    /// The records that are not deleted.
    pub records: Vec<StoredRecord>,
}

impl SubjectMatch {
    /// Returns the links of the records that belong to the subject. A URL or host is one of
    /// several links of a record.
    pub(super) fn links(&self) -> impl Iterator<Item = &StoredRecordLink> {
        let HarvestSubject { scope, name } = &self.subject;
        self.records.iter().flat_map(|record| &record.links).filter(move |link| match scope {
            OverrideScope::Provider | OverrideScope::Record => true,
            OverrideScope::Domain => link.host == *name,
            OverrideScope::Target => link.url == *name,
        })
    }
}

impl Harvester<'_> {
    /// Finds a subject: the identifier of a record, a URL, a host, or the name of the provider.
    /// The first that exists is used, so the most specific one.
    ///
    /// # Errors
    ///
    /// Fails if the store fails.
    pub async fn find_subject(
        &self,
        provider: &StoredProvider,
        text: &str,
    ) -> Result<Option<SubjectMatch>, EngineError> {
        let mut candidates = vec![(OverrideScope::Record, text.to_owned())];
        candidates.extend(canonical(text).map(|url| (OverrideScope::Target, url)));
        candidates.push((OverrideScope::Domain, text.to_owned()));
        candidates.push((OverrideScope::Provider, text.to_owned()));
        for (scope, name) in candidates {
            let found = self.match_subject(provider, HarvestSubject { scope, name }).await?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Finds a URL. The identifier of a record may be the same text. It is not searched for.
    pub(super) async fn find_target(
        &self,
        provider: &StoredProvider,
        text: &str,
    ) -> Result<Option<SubjectMatch>, EngineError> {
        let Some(name) = canonical(text) else { return Ok(None) };
        self.match_subject(provider, HarvestSubject { scope: OverrideScope::Target, name }).await
    }

    /// Returns a subject with its records, or `None` if it has none.
    async fn match_subject(
        &self,
        provider: &StoredProvider,
        subject: HarvestSubject,
    ) -> Result<Option<SubjectMatch>, EngineError> {
        let records = self.records_of(provider, &subject).await?;
        Ok((!records.is_empty()).then_some(SubjectMatch { subject, records }))
    }

    /// Returns the records of a subject that are not deleted.
    async fn records_of(
        &self,
        provider: &StoredProvider,
        subject: &HarvestSubject,
    ) -> Result<Vec<StoredRecord>, EngineError> {
        let name = subject.name.clone();
        let mut selection = TargetSelection::default();
        match subject.scope {
            OverrideScope::Record => {
                let found = self.store.harvested_record(provider.id, &name).await?;
                return Ok(found.into_iter().filter(|record| !record.is_deleted).collect());
            }
            OverrideScope::Provider if name == provider.name => {
                return self.all_records(provider).await;
            }
            // Without URLs and hosts, a selection would find nothing.
            OverrideScope::Provider => return Ok(Vec::new()),
            OverrideScope::Target => selection.urls.push(name),
            OverrideScope::Domain => selection.hosts.push(name),
        }
        Ok(self.store.records_of_targets(provider.id, &selection).await?)
    }

    /// Returns the records of a provider that are not deleted.
    pub(super) async fn all_records(
        &self,
        provider: &StoredProvider,
    ) -> Result<Vec<StoredRecord>, EngineError> {
        let mut filter = RecordFilter {
            provider: Some(provider.id),
            limit: PAGE_SIZE,
            ..RecordFilter::default()
        };
        let mut found = Vec::new();
        loop {
            let page = self.store.harvested_records(&filter).await?;
            let Some(last) = page.last() else { return Ok(found) };
            filter.after = last.id;
            found.extend(page.into_iter().filter(|record| !record.is_deleted));
        }
    }
}

/// Returns the canonical form of a URL, or `None` if the text is not a URL.
fn canonical(text: &str) -> Option<String> {
    canonicalize(None, text).ok().map(String::from)
}
