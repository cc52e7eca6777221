//! Builds the notifications of a run: one per kind, with all affected records.

use jiff::civil::Date;
use relink_ports::{NewNotification, StoredProvider};
use relink_report::harvest::{Notice, NoticeItem, NoticeKind};
use relink_survey::{IncidentSubject, Transition};
use xxhash_rust::xxh3::xxh3_64;

use super::advance::Change;
use super::visibility::{AffectedRecord, RecordView};
use super::{Harvester, ProviderSettings};
use relink_requests::{EngineError, to_json};

/// The kinds of notices that follow from a transition.
fn kinds(transition: Transition) -> &'static [NoticeKind] {
    match transition {
        Transition::Reported => &[NoticeKind::Reported],
        Transition::Escalated => &[NoticeKind::Escalated, NoticeKind::Draft],
        Transition::Filtered => &[NoticeKind::Filtered],
        Transition::Hidden => &[NoticeKind::Hidden],
        Transition::Restored => &[NoticeKind::Restored],
    }
}

/// Returns the addresses that receive a notice by mail.
fn recipients(kind: NoticeKind, settings: &ProviderSettings) -> Vec<String> {
    match kind {
        NoticeKind::Escalated => settings.managers.clone(),
        NoticeKind::Restored => settings.contacts.clone(),
        NoticeKind::Reported | NoticeKind::Filtered | NoticeKind::Hidden
            if settings.notify.mail =>
        {
            settings.contacts.clone()
        }
        // The manager sends the personal mail of a draft.
        NoticeKind::Draft | NoticeKind::Reported | NoticeKind::Filtered | NoticeKind::Hidden => {
            Vec::new()
        }
    }
}

/// Returns the URLs that receive a notice. Drafts are for the service manager only.
fn webhooks(kind: NoticeKind, settings: &ProviderSettings) -> Vec<String> {
    if kind == NoticeKind::Draft { Vec::new() } else { settings.webhooks.clone() }
}

impl Harvester<'_> {
    /// Returns the notifications of the changes.
    pub(super) fn notices(
        &self,
        provider: &StoredProvider,
        settings: &ProviderSettings,
        changes: &[Change],
        view: &RecordView,
    ) -> Result<Vec<NewNotification>, EngineError> {
        let order = [
            Transition::Restored,
            Transition::Filtered,
            Transition::Reported,
            Transition::Escalated,
            Transition::Hidden,
        ];
        let mut notifications = Vec::new();
        for transition in order {
            let group: Vec<&Change> =
                changes.iter().filter(|it| it.transition == Some(transition)).collect();
            if group.is_empty() {
                continue;
            }
            for kind in kinds(transition) {
                let notice = self.notice(provider, settings, *kind, &group, view);
                if notice.items.is_empty() {
                    continue;
                }
                notifications.push(NewNotification {
                    key: notice_key(provider, *kind, self.today(), &group),
                    kind: kind.as_str().to_owned(),
                    content: to_json(&notice)?,
                    recipients: recipients(*kind, settings),
                    webhooks: webhooks(*kind, settings),
                });
            }
        }
        Ok(notifications)
    }

    fn notice(
        &self,
        provider: &StoredProvider,
        settings: &ProviderSettings,
        kind: NoticeKind,
        changes: &[&Change],
        view: &RecordView,
    ) -> Notice {
        let lifecycle = settings.lifecycle();
        let deadline = match kind {
            NoticeKind::Escalated | NoticeKind::Draft => changes
                .iter()
                .filter_map(|it| it.state.incident.next_check(&lifecycle))
                .map(|next| next.on)
                .min(),
            _ => None,
        };
        Notice {
            provider: provider.name.clone(),
            kind,
            day: self.today(),
            time: self.local_time(settings),
            deadline,
            contacts: settings.contacts.clone(),
            items: changes.iter().flat_map(|change| items(kind, change, view)).collect(),
        }
    }
}

impl Harvester<'_> {
    /// Returns the current time in the time zone of a provider.
    fn local_time(&self, settings: &ProviderSettings) -> String {
        self.ports.now().to_zoned(settings.zone()).strftime("%Y-%m-%d %H:%M %Z").to_string()
    }
}

/// Returns the records of an incident. A notice of hidden records omits those that a manager
/// shows.
fn items(kind: NoticeKind, change: &Change, view: &RecordView) -> Vec<NoticeItem> {
    let incident = &change.state.incident;
    let host = match &incident.subject {
        IncidentSubject::Host(host) => Some(host.clone()),
        IncidentSubject::Target(_) => None,
    };
    let records = view.affected(incident);
    let item = |record: &str, title: Option<String>, url: &str| NoticeItem {
        record: record.to_owned(),
        title,
        url: url.to_owned(),
        reason: change.state.reason.clone(),
        host: host.clone(),
        since: incident.found_on,
    };
    if records.is_empty() {
        // The records have changed or are deleted.
        return vec![item("", None, incident.subject.name())];
    }
    let is_listed = |it: &&AffectedRecord| kind != NoticeKind::Hidden || !it.is_shown_by_manager;
    let records = records.iter().filter(is_listed);
    records.map(|it| item(&it.identifier, it.title.clone(), &it.url)).collect()
}

/// Returns the key of a notification. The same incidents in the same stage on the same day have
/// the same key.
fn notice_key(
    provider: &StoredProvider,
    kind: NoticeKind,
    day: Date,
    changes: &[&Change],
) -> String {
    let mut subjects: Vec<String> = changes
        .iter()
        .map(|it| format!("{} {}", it.state.incident.subject.name(), it.state.incident.found_on))
        .collect();
    subjects.sort_unstable();
    let hash = xxh3_64(subjects.join("\n").as_bytes());
    format!("{}/{}/{day}/{hash:016x}", provider.id, kind.as_str())
}
