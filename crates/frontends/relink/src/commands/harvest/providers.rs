//! `relink harvest add`, `edit`, `list` and `remove`: manages the providers of records.

use relink_federation::{NotifyChoice, ProviderSettings};
use relink_ports::StoredProvider;
use relink_report::human::counted;
use relink_report::printable;

use super::Session;
use crate::cli::{AddProviderArgs, EditProviderArgs, ExplainFormat};
use crate::error::{CommandError, Exit};
use crate::output::{cannot_encode, print};
use crate::settings::{edit_provider, new_provider};

/// Runs `add`.
pub async fn add(args: &AddProviderArgs, session: &Session) -> Result<Exit, CommandError> {
    check_name(&args.name)?;
    let others = session.store().providers().await?;
    let has_same_slug =
        |other: &&StoredProvider| other.name != args.name && slug(&other.name) == slug(&args.name);
    if let Some(other) = others.iter().find(has_same_slug) {
        let message = format!("`{}` is too similar to the provider `{}`", args.name, other.name);
        return Err(CommandError::usage(message)
            .hint("the names of their sets and files would be equal; choose another name"));
    }
    let settings = new_provider(&args.flags)?;
    let json = serde_json::to_string(&settings).map_err(cannot_encode)?;
    if !session.store().add_provider(&args.name, &json).await? {
        return Err(CommandError::usage(format!("provider `{}` exists already", args.name))
            .hint("change it with `relink harvest edit`, or choose another name"));
    }
    print(&format!("Added {} ({})\n", printable(&args.name), settings.origin))?;
    Ok(Exit::Clean)
}

/// Checks the name of a new provider: it becomes part of headers, set names and file names.
fn check_name(name: &str) -> Result<(), CommandError> {
    let is_allowed = |char: char| char.is_alphanumeric() || matches!(char, ' ' | '.' | '_' | '-');
    let is_valid =
        name.chars().all(is_allowed) && name.trim() == name && name.contains(char::is_alphanumeric);
    if is_valid {
        return Ok(());
    }
    Err(CommandError::usage(format!("invalid provider name: `{}`", printable(name)))
        .hint("use letters, digits, spaces, `.`, `_` and `-`"))
}

/// Returns a name in which all special characters are `-`. Providers with the same slug would
/// get the same OAI-PMH set or the same files.
fn slug(name: &str) -> String {
    let lower = name.to_lowercase();
    lower.chars().map(|char| if char.is_ascii_alphanumeric() { char } else { '-' }).collect()
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
    let reads_all_records =
        settings.origin != stored.origin || settings.location_fields != stored.location_fields;
    session.store().update_provider(&args.name, &json, reads_all_records).await?;
    let note = if reads_all_records { "; the next run reads all records" } else { "" };
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
    let list = |values: &[String]| {
        if values.is_empty() { "none".to_owned() } else { values.join(", ") }
    };
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
    let mut names = vec![
        (choice.rss, "rss"),
        (choice.atom, "atom"),
        (choice.xlsx, "xlsx"),
        (choice.mail, "mail"),
    ];
    names.retain(|(is_chosen, _)| *is_chosen);
    let names: Vec<&str> = names.into_iter().map(|(_, name)| name).collect();
    names.join(",")
}

/// Runs `remove`.
pub async fn remove(
    name: &str,
    is_confirmed: bool,
    session: &Session,
) -> Result<Exit, CommandError> {
    let (provider, _) = session.provider(name).await?;
    let counts = session.store().provider_counts(provider.id).await?;
    let records = counted(counts.records, "record");
    if is_confirmed {
        session.store().remove_provider(name).await?;
        print(&format!("Removed {} with {records}\n", printable(name)))?;
    } else {
        print(&format!("Would remove {} with {records}; use `--yes` to do it\n", printable(name)))?;
    }
    Ok(Exit::Clean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_name_rejects_names_that_break_headers_or_paths() {
        for name in ["lre-no", "Open Schoolbank 2.0", "école_1"] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        for name in ["", " ", "a\r\nb", "../../x", "a/b", " a", "..", "a:b"] {
            assert!(check_name(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn slug_is_equal_for_names_that_differ_in_case_or_special_characters() {
        assert_eq!(slug("X y"), slug("x_y"));
        assert_ne!(slug("x1"), slug("x2"));
    }
}
