//! `relink harvest mail` and `relink harvest publish`: messages to providers and managers.
//!
//! A notice reports the incidents of a provider: its broken links. A draft is a personal
//! mail that a manager edits and sends with another program.

use std::path::Path;

use relink_federation::{MailReport, MailSender};
use relink_notify::{SmtpMailer, SmtpSecurity, SmtpSettings};
use relink_ports::{MailState, StoredNotification, StoredProvider};
use relink_report::harvest::{MailTemplates, Notice, NoticeKind, PublishedNotice, atom, rss, xlsx};
use relink_report::printable;

use super::Session;
use super::manage::UNKNOWN_USER;
use crate::cli::{HarvestMailArgs, HarvestPublishArgs, SmtpSecurityArg};
use crate::error::{CommandError, Exit};
use crate::output::print;

/// Maximum number of notifications in a feed.
const MAX_NOTIFICATIONS: usize = 500;
/// The event which records that a manager sent a personal mail.
const SENT: &str = "mail-sent";
/// Environment variables with the credentials of the mail server.
const SMTP_USER: &str = "RELINK_SMTP_USER";
const SMTP_PASSWORD: &str = "RELINK_SMTP_PASSWORD";

/// Runs `mail`.
pub async fn mail(args: &HarvestMailArgs, session: &Session) -> Result<Exit, CommandError> {
    let templates = templates(args.templates.as_deref())?;
    if args.drafts {
        return drafts(&templates, session).await;
    }
    if let Some(number) = args.mark_sent {
        return mark_sent(number, args.user.as_deref(), session).await;
    }
    let harvester = session.harvester();
    let reports = if args.send {
        let mailer = SmtpMailer::new(smtp_settings(args)?)
            .map_err(|error| CommandError::usage(error.to_string()).with_sources(&error))?;
        let from = args.mail_from.as_deref().unwrap_or_default();
        let sender = MailSender { mailer: &mailer, from, templates: &templates };
        harvester.send_mails(&sender).await?
    } else {
        harvester.preview_mails(&templates).await?
    };
    print_mails(&reports, args.send)
}

fn print_mails(reports: &[MailReport], is_sent: bool) -> Result<Exit, CommandError> {
    let mut exit = Exit::Clean;
    for report in reports {
        let recipient = printable(&report.recipient);
        let subject = printable(&report.subject);
        let line = match (&report.error, is_sent, report.state) {
            (Some(error), _, state) => {
                exit = Exit::Findings;
                let result =
                    if state == MailState::Pending { "will be sent again" } else { "failed" };
                format!("{recipient}: {result}: {}\n", printable(error))
            }
            (None, true, _) => format!("{recipient}: sent: {subject}\n"),
            (None, false, _) => {
                let text: Vec<_> = report.text.lines().map(printable).collect();
                format!("To: {recipient}\nSubject: {subject}\n\n{}\n\n", text.join("\n"))
            }
        };
        print(&line)?;
    }
    if !is_sent {
        print(&format!("{} not sent; use `--send` to send them\n", reports.len()))?;
    }
    Ok(exit)
}

/// Prints the drafts of personal mails, newest first.
async fn drafts(templates: &MailTemplates, session: &Session) -> Result<Exit, CommandError> {
    for (provider, settings) in session.providers(&[]).await? {
        let events = session.store().harvest_events(provider.id).await?;
        for (stored, notice) in stored_drafts(session, &provider).await? {
            let mail = templates
                .render(&settings.language, std::slice::from_ref(&notice))
                .map_err(|error| CommandError::usage(error.to_string()).with_sources(&error))?;
            let sent =
                events.iter().find(|event| event.kind == SENT && event.subject == stored.key);
            let state = sent.map_or_else(
                || "not sent".to_owned(),
                |event| {
                    let day = event.at.strftime("%Y-%m-%d");
                    format!("sent on {day} by {}", printable(&event.user))
                },
            );
            let to = notice.contacts.join(", ");
            let text: Vec<_> = mail.text.lines().map(printable).collect();
            let subject = printable(&mail.subject);
            let head = format!("Draft {}, {state}\nTo: {to}\nSubject: {subject}", stored.id);
            print(&format!("{head}\n\n{}\n\n", text.join("\n")))?;
        }
    }
    Ok(Exit::Clean)
}

/// Returns the drafts of a provider, newest first.
async fn stored_drafts(
    session: &Session,
    provider: &StoredProvider,
) -> Result<Vec<(StoredNotification, Notice)>, CommandError> {
    let stored = session.store().notifications(provider.id, MAX_NOTIFICATIONS).await?;
    let drafts = stored.into_iter().filter_map(|notification| {
        let notice = parse(&notification).filter(is_draft)?;
        Some((notification, notice))
    });
    Ok(drafts.collect())
}

/// Records that a manager sent the personal mail of a draft.
async fn mark_sent(
    number: i64,
    user: Option<&str>,
    session: &Session,
) -> Result<Exit, CommandError> {
    for (provider, _) in session.providers(&[]).await? {
        let drafts = stored_drafts(session, &provider).await?;
        if let Some((draft, _)) = drafts.iter().find(|(draft, _)| draft.id == number) {
            let user = user.unwrap_or(UNKNOWN_USER);
            session.harvester().record_event(&provider, SENT, &draft.key, user, "").await?;
            print(&format!("Draft {number} is marked as sent\n"))?;
            return Ok(Exit::Clean);
        }
    }
    Err(CommandError::usage(format!("there is no draft {number}"))
        .hint("run `relink harvest mail --drafts` to list the drafts"))
}

fn is_draft(notice: &Notice) -> bool {
    notice.kind == NoticeKind::Draft
}

fn parse(notification: &StoredNotification) -> Option<Notice> {
    serde_json::from_str(&notification.content).ok()
}

/// Returns the built-in templates. A file `mail.LANGUAGE.txt` in the directory replaces
/// the template of its language.
fn templates(directory: Option<&Path>) -> Result<MailTemplates, CommandError> {
    let mut templates = MailTemplates::default();
    let Some(directory) = directory else { return Ok(templates) };
    for language in MailTemplates::LANGUAGES {
        let path = directory.join(format!("mail.{language}.txt"));
        if path.exists() {
            let text = relink_files::read_to_string(&path).map_err(|error| {
                CommandError::usage(format!("cannot read the template `{}`", path.display()))
                    .cause(error.to_string())
            })?;
            templates.replace(language, text);
        }
    }
    Ok(templates)
}

fn smtp_settings(args: &HarvestMailArgs) -> Result<SmtpSettings, CommandError> {
    let server = args.smtp.as_deref().unwrap_or_default();
    let invalid = || {
        CommandError::usage(format!("invalid value for `--smtp`: `{server}`"))
            .hint("use HOST:PORT, such as `mail.example.org:587`")
    };
    let (host, port) = server.rsplit_once(':').ok_or_else(invalid)?;
    let authority = args.smtp_ca.as_deref().map(std::fs::read).transpose().map_err(|error| {
        CommandError::usage("cannot read the certificate of `--smtp-ca`").cause(error.to_string())
    })?;
    Ok(SmtpSettings {
        host: host.to_owned(),
        port: port.parse().map_err(|_| invalid())?,
        security: match args.smtp_security {
            SmtpSecurityArg::Starttls => SmtpSecurity::StartTls,
            SmtpSecurityArg::Tls => SmtpSecurity::Tls,
            SmtpSecurityArg::None => SmtpSecurity::None,
        },
        authority,
        credentials: credentials(args.smtp_password_file.as_deref())?,
    })
}

/// Returns the user and the password of the mail server. They are not flags, because other
/// users of the machine can read flags.
fn credentials(file: Option<&Path>) -> Result<Option<(String, String)>, CommandError> {
    let Ok(user) = std::env::var(SMTP_USER) else { return Ok(None) };
    let password = match file {
        Some(file) => relink_files::read_to_string(file)
            .map(|text| text.trim_end().to_owned())
            .map_err(|error| {
                CommandError::usage("cannot read the file of `--smtp-password-file`")
                    .cause(error.to_string())
            })?,
        None => std::env::var(SMTP_PASSWORD).unwrap_or_default(),
    };
    Ok(Some((user, password)))
}

/// Runs `publish`.
pub async fn publish(args: &HarvestPublishArgs, session: &Session) -> Result<Exit, CommandError> {
    std::fs::create_dir_all(&args.output).map_err(|error| {
        CommandError::usage(format!("cannot create `{}`", args.output.display()))
            .cause(error.to_string())
    })?;
    for (provider, settings) in session.providers(&args.names).await? {
        let stored = session.store().notifications(provider.id, MAX_NOTIFICATIONS).await?;
        let notices: Vec<PublishedNotice> = stored.iter().filter_map(published).collect();
        let name = file_name(&provider.name);
        let link = args.base_url.as_str();
        let mut files: Vec<(&str, Vec<u8>)> = Vec::new();
        if settings.notify.rss {
            files.push(("rss", rss(&provider.name, link, &notices).into_bytes()));
        }
        if settings.notify.atom {
            files.push(("atom", atom(&provider.name, link, &notices).into_bytes()));
        }
        if settings.notify.xlsx {
            let now = session.ports.ports.clock.now();
            let sheet = xlsx(&notices, now).map_err(|error| {
                CommandError::internal("cannot write the spreadsheet").cause(error.to_string())
            })?;
            files.push(("xlsx", sheet));
        }
        for (extension, bytes) in files {
            write_file(&args.output.join(format!("{name}.{extension}")), &bytes)?;
        }
    }
    Ok(Exit::Clean)
}

/// Returns a notice that is published; `None` for escalations and drafts, which are only
/// for managers.
fn published(stored: &StoredNotification) -> Option<PublishedNotice> {
    let notice = parse(stored)?;
    let is_internal = matches!(notice.kind, NoticeKind::Escalated | NoticeKind::Draft);
    (!is_internal).then(|| PublishedNotice {
        key: stored.key.clone(),
        at: stored.created_at,
        notice,
    })
}

/// Returns the name of a provider as a file name, with `-` instead of special characters.
fn file_name(name: &str) -> String {
    let is_allowed = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_');
    name.chars().map(|char| if is_allowed(char) { char } else { '-' }).collect()
}

/// Writes a file under another name and renames it, so that readers never see an
/// incomplete file.
fn write_file(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    let temporary = path.with_extension("tmp");
    std::fs::write(&temporary, bytes).and_then(|()| std::fs::rename(&temporary, path)).map_err(
        |error| {
            CommandError::internal(format!("cannot write `{}`", path.display()))
                .cause(error.to_string())
        },
    )?;
    print(&format!("wrote {}\n", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_name_replaces_separators_and_dots() {
        assert_eq!(file_name("../lre no/ä"), "---lre-no-ä");
    }
}
