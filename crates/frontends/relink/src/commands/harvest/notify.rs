//! `relink harvest mail` and `relink harvest publish`: messages to providers and managers.
//!
//! A notice reports the incidents of a provider: its broken links. A draft is a personal
//! mail that a manager edits and sends with another program.

use std::fs::{File, TryLockError};
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
const MAIL_SENT_EVENT: &str = "mail-sent";
/// The end of the name of the file that is locked while mails are sent.
const MAIL_LOCK_SUFFIX: &str = ".mail-lock";
/// Environment variables with the credentials of the mail server.
const SMTP_USER: &str = "RELINK_SMTP_USER";
const SMTP_PASSWORD: &str = "RELINK_SMTP_PASSWORD";

/// Runs `mail`.
pub async fn mail(args: &HarvestMailArgs, session: &Session) -> Result<Exit, CommandError> {
    let templates = templates(args.templates.as_deref())?;
    if args.drafts {
        return print_drafts(&templates, session).await;
    }
    if let Some(number) = args.mark_sent {
        return mark_sent(number, args.user.as_deref(), session).await;
    }
    if args.failed {
        return print_failed(&session.harvester().failed_mails(&templates).await?);
    }
    if args.retry {
        let count = session.store().retry_failed_mails().await?;
        print(&format!("{} will be sent again\n", mails(count)))?;
    }
    if args.send {
        return send_mails(args, &templates, session).await;
    }
    print_preview(&session.harvester().preview_mails(&templates).await?)
}

async fn send_mails(
    args: &HarvestMailArgs,
    templates: &MailTemplates,
    session: &Session,
) -> Result<Exit, CommandError> {
    let mailer = SmtpMailer::new(smtp_settings(args)?)
        .map_err(|error| CommandError::usage(error.to_string()).with_sources(&error))?;
    // The database is not locked while a mail is sent, so a lock of its own excludes a second
    // sender.
    let _lock = lock_mails(&session.db)?;
    let from = args.mail_from.as_deref().unwrap_or_default();
    let sender = MailSender { mailer: &mailer, from, templates };
    print_sent(&session.harvester().send_mails(&sender).await?)
}

/// Ensures that this process is the only one that sends mails. The lock ends with the process.
fn lock_mails(db: &Path) -> Result<File, CommandError> {
    let mut name = db.as_os_str().to_owned();
    name.push(MAIL_LOCK_SUFFIX);
    let path = Path::new(&name);
    let cannot_lock = |cause: String| {
        CommandError::internal(format!("cannot lock `{}`", path.display())).cause(cause)
    };
    let file = File::options().create(true).append(true).open(path);
    let file = file.map_err(|error| cannot_lock(error.to_string()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            Err(CommandError::internal("another process is sending the mails")
                .hint("wait until it ends"))
        }
        Err(TryLockError::Error(error)) => Err(cannot_lock(error.to_string())),
    }
}

fn mails(count: usize) -> String {
    if count == 1 { "1 mail".to_owned() } else { format!("{count} mails") }
}

fn print_sent(reports: &[MailReport]) -> Result<Exit, CommandError> {
    for report in reports {
        let recipient = printable(&report.recipient);
        let line = match (&report.error, report.state) {
            (Some(error), MailState::Failed) => {
                format!("{recipient}: failed: {}\n", printable(error))
            }
            (Some(error), _) => format!("{recipient}: will be sent again: {}\n", printable(error)),
            (None, _) => format!("{recipient}: sent: {}\n", printable(&report.subject)),
        };
        print(&line)?;
    }
    let is_sent = |report: &&MailReport| report.error.is_none();
    let sent = reports.iter().filter(is_sent).count();
    print(&format!("{sent} sent\n"))?;
    Ok(if sent == reports.len() { Exit::Clean } else { Exit::Findings })
}

fn print_preview(reports: &[MailReport]) -> Result<Exit, CommandError> {
    let mut exit = Exit::Clean;
    for report in reports {
        let recipient = printable(&report.recipient);
        let text = if let Some(error) = &report.error {
            exit = Exit::Findings;
            format!("{recipient}: cannot be sent: {}\n", printable(error))
        } else {
            let text: Vec<_> = report.text.lines().map(printable).collect();
            let subject = printable(&report.subject);
            format!("To: {recipient}\nSubject: {subject}\n\n{}\n\n", text.join("\n"))
        };
        print(&text)?;
    }
    print(&format!("{} not sent; use `--send` to send them\n", reports.len()))?;
    Ok(exit)
}

fn print_failed(reports: &[MailReport]) -> Result<Exit, CommandError> {
    for report in reports {
        let (recipient, subject) = (printable(&report.recipient), printable(&report.subject));
        let error = printable(report.error.as_deref().unwrap_or_default());
        print(&format!("{recipient}: {subject}: {error}\n"))?;
    }
    print(&format!("{} failed; use `--retry --send` to send them again\n", reports.len()))?;
    Ok(Exit::Clean)
}

/// Prints the drafts of personal mails, newest first.
async fn print_drafts(templates: &MailTemplates, session: &Session) -> Result<Exit, CommandError> {
    for (provider, settings) in session.providers(&[]).await? {
        let events = session.store().harvest_events(provider.id).await?;
        for (stored, notice) in stored_drafts(session, &provider).await? {
            let mail = templates
                .render(&settings.language, std::slice::from_ref(&notice))
                .map_err(|error| CommandError::usage(error.to_string()).with_sources(&error))?;
            let sent_event = events
                .iter()
                .find(|event| event.kind == MAIL_SENT_EVENT && event.subject == stored.key);
            let state = match sent_event {
                None => "not sent".to_owned(),
                Some(event) => {
                    let day = event.at.strftime("%Y-%m-%d");
                    format!("sent on {day} by {}", printable(&event.user))
                }
            };
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
        let notice = parse_notice(&notification).filter(is_draft)?;
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
            let harvester = session.harvester();
            harvester.record_event(&provider, MAIL_SENT_EVENT, &draft.key, user, "").await?;
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

fn parse_notice(notification: &StoredNotification) -> Option<Notice> {
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
/// users of the machine can read the command line. `file` is the file with the password.
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
        let notices: Vec<PublishedNotice> = stored.iter().filter_map(published_notice).collect();
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

/// Returns the published form of a notice; `None` for escalations and drafts, which are only
/// for managers.
fn published_notice(stored: &StoredNotification) -> Option<PublishedNotice> {
    let notice = parse_notice(stored)?;
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
