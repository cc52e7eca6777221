//! `relink harvest add`, `edit`, `list` and `remove`: manages the providers of records.

use relink_federation::{NotifyChoice, ProviderSettings};
use relink_report::human::counted;
use relink_report::printable;

use super::Session;
use crate::cli::{AddProviderArgs, EditProviderArgs, ExplainFormat};
use crate::error::{CommandError, Exit};
use crate::output::{cannot_encode, print};
use crate::settings::{edit_provider, new_provider};

/// Runs `add`.
pub async fn add(args: &AddProviderArgs, session: &Session) -> Result<Exit, CommandError> {
    let settings = new_provider(&args.flags)?;
    let json = serde_json::to_string(&settings).map_err(cannot_encode)?;
    if !session.store().add_provider(&args.name, &json).await? {
        return Err(CommandError::usage(format!("provider `{}` exists already", args.name))
            .hint("change it with `relink harvest edit`, or choose another name"));
    }
    print(&format!("Added {} ({})\n", printable(&args.name), settings.origin))?;
    Ok(Exit::Clean)
}

/// Runs `edit`.
pub async fn edit(args: &EditProviderArgs, session: &Session) -> Result<Exit, CommandError> {
    let (_, stored) = session.provider(&args.name).await?;
    let settings = edit_provider(&args.flags, &args.clear, stored.clone())?;
    if settings == stored {
        print(&format!("{} is unchanged\n", printable(&args.name)))?;
        return Ok(Exit::Clean);
    }
    let json = serde_json::to_string(&settings).map_err(cannot_encode)?;
    // A harvest usually reads only the records that changed. After these changes, it must
    // read all of them.
    let restarts =
        settings.origin != stored.origin || settings.location_fields != stored.location_fields;
    session.store().update_provider(&args.name, &json, restarts).await?;
    let note = if restarts { "; the next run reads all records" } else { "" };
    print(&format!("Changed {}{note}\n{}", printable(&args.name), details(&settings)))?;
    Ok(Exit::Clean)
}

/// Runs `list`.
pub async fn list(format: ExplainFormat, session: &Session) -> Result<Exit, CommandError> {
    let providers = session.providers(&[]).await?;
    if format == ExplainFormat::Json {
        let rows: Vec<_> = providers
            .iter()
            .map(|(provider, settings)| {
                serde_json::json!({ "name": provider.name, "settings": settings })
            })
            .collect();
        print(&format!("{}\n", serde_json::to_string_pretty(&rows).map_err(cannot_encode)?))?;
        return Ok(Exit::Clean);
    }
    if providers.is_empty() {
        print("No providers yet. `relink harvest add` adds one.\n")?;
    }
    for (provider, settings) in providers {
        let name = printable(&provider.name);
        print(&format!("{name}  {}\n{}", settings.origin, details(&settings)))?;
    }
    Ok(Exit::Clean)
}

/// Formats the settings that a manager needs most often.
fn details(settings: &ProviderSettings) -> String {
    let none = || "none".to_owned();
    let list = |values: &[String]| if values.is_empty() { none() } else { values.join(", ") };
    let text = format!(
        "  notify {}, contacts {}, managers {}\n  language {}, time zone {}; re-check after {}, \
         hide after {}\n",
        notify_names(settings.notify),
        list(&settings.contacts),
        list(&settings.managers),
        settings.language,
        settings.time_zone,
        counted(settings.recheck_after.into(), "day"),
        counted(settings.hide_after.into(), "day"),
    );
    text.lines().flat_map(|line| [printable(line), "\n".into()]).collect()
}

/// Returns the names of the chosen notifications, as in `--notify`.
fn notify_names(choice: NotifyChoice) -> String {
    let options =
        [(choice.rss, "rss"), (choice.atom, "atom"), (choice.xlsx, "xlsx"), (choice.mail, "mail")];
    let names: Vec<&str> =
        options.into_iter().filter_map(|(is_chosen, name)| is_chosen.then_some(name)).collect();
    names.join(",")
}

/// Runs `remove`.
pub async fn remove(name: &str, yes: bool, session: &Session) -> Result<Exit, CommandError> {
    let (provider, _) = session.provider(name).await?;
    let counts = session.store().provider_counts(provider.id).await?;
    let records = counted(counts.records, "record");
    if yes {
        session.store().remove_provider(name).await?;
        print(&format!("Removed {} with {records}\n", printable(name)))?;
    } else {
        print(&format!("Would remove {} with {records}; use `--yes` to do it\n", printable(name)))?;
    }
    Ok(Exit::Clean)
}
