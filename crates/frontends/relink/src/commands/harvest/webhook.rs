//! `relink harvest webhook`: sends notices of broken links to URLs of the providers, signed
//! with a secret.

use std::sync::Arc;

use relink_federation::DeliveryReport;
use relink_notify::{HttpWebhooks, MIN_SECRET_LENGTH};
use relink_ports::MailState;
use relink_report::{printable, redact};

use super::Session;
use crate::cli::HarvestWebhookArgs;
use crate::error::{CommandError, Exit};
use crate::output::print;

/// The environment variable with the secret.
const SECRET_VARIABLE: &str = "RELINK_WEBHOOK_SECRET";

/// Runs `webhook`.
pub async fn run(args: &HarvestWebhookArgs, session: &Session) -> Result<Exit, CommandError> {
    let harvester = session.harvester();
    if !args.send {
        let reports = harvester.pending_webhooks().await?;
        for report in &reports {
            print(&format!("{}\n{}\n\n", redact(&report.url), printable(&report.body)))?;
        }
        print(&format!("{} not sent; use `--send` to send them\n", reports.len()))?;
        return Ok(Exit::Clean);
    }
    let fetch = Arc::clone(&session.ports.ports.fetch);
    let sender = HttpWebhooks::new(fetch, &secret(args)?).ok_or_else(|| {
        CommandError::usage("the secret of webhooks is too short")
            .hint(format!("use at least {MIN_SECRET_LENGTH} characters"))
    })?;
    let mut exit = Exit::Clean;
    for report in harvester.send_webhooks(&sender).await? {
        print(&delivery_line(&report))?;
        if report.state != MailState::Sent {
            exit = Exit::Findings;
        }
    }
    Ok(exit)
}

fn delivery_line(report: &DeliveryReport) -> String {
    let (url, id) = (redact(&report.url).to_string(), printable(&report.id));
    let error = report.error.as_deref().unwrap_or("an earlier message was not accepted");
    match report.state {
        MailState::Sent => format!("{url}: sent {id}\n"),
        MailState::Pending => {
            format!("{url}: {id} will be sent again: {}\n", printable(error))
        }
        MailState::Failed => format!("{url}: {id} failed: {}\n", printable(error)),
    }
}

/// Reads the secret from `--secret-file` or from the environment.
fn secret(args: &HarvestWebhookArgs) -> Result<String, CommandError> {
    let Some(path) = &args.secret_file else {
        return std::env::var(SECRET_VARIABLE).map_err(|_| {
            CommandError::usage("webhooks need a secret")
                .hint(format!("set {SECRET_VARIABLE}, or use `--secret-file FILE`"))
        });
    };
    let text = relink_files::read_to_string(path).map_err(|error| {
        CommandError::usage(format!("cannot read the secret in `{}`", path.display()))
            .cause(error.to_string())
    })?;
    Ok(text.trim().to_owned())
}
