//! Builds the notifications of a run: one per kind, with all affected records.

use jiff::civil::Date;
use relink_ports::{NewNotification, StoredProvider};
use relink_report::harvest::{Notice, NoticeItem, NoticeKind};
use relink_survey::{EndReason, Incident, IncidentSubject, Transition};
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
        Transition::Hidden => &[NoticeKind::Hidden, NoticeKind::LeftOut],
        Transition::Restored => &[NoticeKind::Restored, NoticeKind::Repaired],
    }
}

/// Returns the addresses that receive a notice by mail.
fn recipients(kind: NoticeKind, settings: &ProviderSettings) -> Vec<String> {
    match kind {
        NoticeKind::Escalated => settings.managers.clone(),
        NoticeKind::Restored | NoticeKind::Repaired => settings.contacts.clone(),
        NoticeKind::Reported | NoticeKind::Filtered | NoticeKind::Hidden | NoticeKind::LeftOut
            if settings.notify.mail =>
        {
            settings.contacts.clone()
        }
        // The manager sends the personal mail of a draft.
        NoticeKind::Draft
        | NoticeKind::Reported
        | NoticeKind::Filtered
        | NoticeKind::Hidden
        | NoticeKind::LeftOut => Vec::new(),
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
            let is_in_group = |change: &&Change| {
                change.transition == Some(transition) && !ends_with_deletion(change)
            };
            let group: Vec<&Change> = changes.iter().filter(is_in_group).collect();
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
                .filter_map(|change| change.state.incident.next_check(&lifecycle))
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

/// Whether an incident ended because the provider deleted its records. The provider knows that.
fn ends_with_deletion(change: &Change) -> bool {
    change.state.incident.end.is_some_and(|end| end.reason == EndReason::RecordDeleted)
}

/// Returns the records of an incident to which a notice of this kind applies.
fn items(kind: NoticeKind, change: &Change, view: &RecordView) -> Vec<NoticeItem> {
    let incident = &change.state.incident;
    let host = match &incident.subject {
        IncidentSubject::Host(host) => Some(host.clone()),
        IncidentSubject::Target(_) => None,
    };
    let records = view.affected(incident).iter().filter(|record| applies(kind, incident, record));
    let item = |record: &AffectedRecord| NoticeItem {
        record: record.identifier.clone(),
        title: record.title.clone(),
        url: record.url.clone(),
        reason: change.state.reason.clone(),
        host: host.clone(),
        since: incident.found_on,
    };
    records.map(item).collect()
}

/// Whether the event of a notice concerns a record. Records that a manager shows are not hidden,
/// and records with another working location stay visible.
fn applies(kind: NoticeKind, incident: &Incident, record: &AffectedRecord) -> bool {
    let was_hidden = incident.hidden_on.is_some() && !record.was_visible;
    match kind {
        NoticeKind::Hidden => !record.is_visible,
        NoticeKind::LeftOut => record.is_visible && !record.is_shown_by_manager,
        NoticeKind::Restored => was_hidden && record.is_visible,
        NoticeKind::Repaired => !(was_hidden && record.is_visible),
        NoticeKind::Reported | NoticeKind::Escalated | NoticeKind::Draft | NoticeKind::Filtered => {
            true
        }
    }
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
        .map(|change| {
            format!("{} {}", change.state.incident.subject.name(), change.state.incident.found_on)
        })
        .collect();
    subjects.sort_unstable();
    let hash = xxh3_64(subjects.join("\n").as_bytes());
    format!("{}/{}/{day}/{hash:016x}", provider.id, kind.as_str())
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use relink_survey::IncidentOrigin;

    use super::*;

    /// Asserts which of two kinds of notices applies to a record of an incident that hides its
    /// target, before and after the changes.
    #[track_caller]
    fn check(was_visible: bool, is_visible: bool, kinds: [NoticeKind; 2]) {
        let subject = IncidentSubject::Target("http://a.test/".to_owned());
        let day = date(2026, 1, 1);
        let incident = Incident::open_hidden(subject, day, IncidentOrigin::Report);
        let record = AffectedRecord {
            id: 1,
            identifier: String::new(),
            title: None,
            url: String::new(),
            is_shown_by_manager: false,
            was_visible,
            is_visible,
        };
        for kind in
            [NoticeKind::Hidden, NoticeKind::LeftOut, NoticeKind::Restored, NoticeKind::Repaired]
        {
            assert_eq!(applies(kind, &incident, &record), kinds.contains(&kind), "{kind:?}");
        }
    }

    #[test]
    fn notice_describes_the_visibility_of_its_records() {
        check(true, false, [NoticeKind::Hidden, NoticeKind::Repaired]);
        check(true, true, [NoticeKind::LeftOut, NoticeKind::Repaired]);
        check(false, true, [NoticeKind::LeftOut, NoticeKind::Restored]);
    }
}
