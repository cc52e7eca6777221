//! Converts the configuration of lychee: `lychee.toml` and `.lycheeignore`.
//!
//! lychee is another link checker. Each of its keys is mapped to a setting of Relink, or
//! listed with the reason why it is not mapped.

use std::path::Path;

use toml::{Table, Value};

use crate::error::CommandError;

/// Settings, and notes for the user.
type ConvertedConfig = (Vec<(String, Value)>, Vec<String>);

/// The reason why a key is not mapped: a project must not set it, because it may redirect
/// requests or send secrets.
const USER_ONLY: &str = "set it in your own configuration file, not in the project's";

/// Reads the configuration of lychee in a directory.
pub fn read_settings(
    directory: &Path,
    file: Option<&Path>,
) -> Result<ConvertedConfig, CommandError> {
    let default = directory.join("lychee.toml");
    let path = file.unwrap_or(&default);
    let ignore = directory.join(".lycheeignore");
    if !path.exists() && !ignore.exists() {
        return Err(CommandError::usage("cannot convert the configuration of lychee")
            .cause(format!("neither `{}` nor `.lycheeignore` exists", path.display()))
            .hint("run the command in the directory of the file, or use `--file FILE`"));
    }
    let cannot_read = |cause: String| {
        CommandError::usage(format!("cannot read `{}`", path.display())).cause(cause)
    };
    let table = if path.exists() {
        let text =
            relink_files::read_to_string(path).map_err(|error| cannot_read(error.to_string()))?;
        text.parse().map_err(|error: toml::de::Error| cannot_read(error.message().to_owned()))?
    } else {
        Table::new()
    };
    let patterns = relink_files::read_to_string(&ignore).unwrap_or_default();
    Ok(convert(&table, &patterns))
}

/// Converts the keys of `lychee.toml` and the patterns of `.lycheeignore`.
fn convert(table: &Table, ignore: &str) -> ConvertedConfig {
    let mut settings: Vec<(String, Value)> = Vec::new();
    let mut notes = Vec::new();
    let mut exclude: Vec<Value> = ignore
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| Value::String(line.to_owned()))
        .collect();
    for (key, value) in table {
        match convert_setting(key, value) {
            Ok(("exclude", Value::Array(patterns))) => exclude.extend(patterns),
            Ok((name, value)) => {
                notes.push(format!("`{key}` is `{name}`"));
                settings.push((name.to_owned(), value));
            }
            Err(reason) => notes.push(format!("not mapped: `{key}` ({reason})")),
        }
    }
    if !exclude.is_empty() {
        notes.push(format!("`exclude` has {} patterns", exclude.len()));
        settings.push(("exclude".to_owned(), Value::Array(exclude)));
    }
    (settings, notes)
}

/// Returns the key and value of a setting, or the reason why it has none.
fn convert_setting(key: &str, value: &Value) -> Result<(&'static str, Value), &'static str> {
    let rename_to = |name| Ok((name, value.clone()));
    match key {
        "timeout" => Ok(("timeout", convert_seconds(value))),
        "max_cache_age" => rename_to("max-cache-age"),
        "max_retries" => rename_to("retries"),
        "max_concurrency" => rename_to("concurrency"),
        "host_concurrency" => rename_to("host-concurrency"),
        "host_request_interval" => rename_to("host-interval"),
        "include" => rename_to("include"),
        "exclude" | "exclude_path" => rename_to("exclude"),
        "base_url" | "base" => rename_to("base-url"),
        "root_dir" => rename_to("root-dir"),
        "index_files" => rename_to("index-files"),
        "fallback_extensions" => rename_to("fallback-extensions"),
        "offline" => rename_to("offline"),
        "include_fragments" => rename_to("remote-anchors"),
        "include_mail" => rename_to("include-mail"),
        "include_verbatim" => rename_to("include-verbatim"),
        "extensions" => rename_to("extensions"),
        "remap" => rename_to("remap"),
        "accept" => convert_accept(value),
        "user_agent" | "header" | "basic_auth" | "github_token" | "cookie_jar" | "insecure"
        | "preprocess" => Err(USER_ONLY),
        "exclude_all_private" | "exclude_private" | "exclude_link_local" | "exclude_loopback" => {
            Err("private addresses are blocked unless `allow-private` is set")
        }
        "cache" | "cache_exclude_status" => Err("the database caches live pages only"),
        "archive" | "suggest" => Err("use `relink check --revive`"),
        "verbose" | "no_progress" | "mode" | "format" | "output" | "host_stats" => {
            Err("use `-v`, `-q`, `--format` or `-o`")
        }
        "dump" | "dump_inputs" => Err("use `relink extract`"),
        "max_redirects" | "retry_wait_time" | "threads" | "method" | "min_tls" | "scheme" => {
            Err("Relink decides this itself")
        }
        _ => Err("there is no such setting"),
    }
}

/// Converts a time of lychee, a number of seconds.
fn convert_seconds(value: &Value) -> Value {
    match value {
        Value::Integer(seconds) => Value::String(format!("{seconds}s")),
        other => other.clone(),
    }
}

/// Converts a list of accepted statuses. Omits 1xx and 2xx, because Relink always accepts them.
fn convert_accept(value: &Value) -> Result<(&'static str, Value), &'static str> {
    let texts: Vec<String> = match value {
        Value::Array(codes) => codes
            .iter()
            .map(|code| code.as_str().map_or_else(|| code.to_string(), str::to_owned))
            .collect(),
        Value::String(codes) => codes.split(',').map(|code| code.trim().to_owned()).collect(),
        _ => return Err("it is not a list"),
    };
    let others = texts.into_iter().filter(|code| !code.starts_with(['1', '2']));
    let others: Vec<Value> = others.map(Value::String).collect();
    if others.is_empty() {
        Err("live pages are always accepted")
    } else {
        Ok(("accept", Value::Array(others)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn convert_maps_keys_and_lists_those_without_equivalent() {
        let text = "timeout = 20\nmax_retries = 3\naccept = [\"200..=204\", \"429\"]\n\
                    exclude = [\"a\"]\nheader = { A = \"b\" }\nunknown_key = 1\n";
        let (settings, notes) = convert(&text.parse().unwrap(), "# comment\nhttps://b\\.test\n");
        let setting = |key: &str| {
            settings.iter().find(|(name, _)| name == key).map(|(_, value)| value.to_string())
        };
        assert_eq!(setting("timeout").unwrap(), "\"20s\"");
        assert_eq!(setting("accept").unwrap(), "[\"429\"]");
        // `lychee.toml` and `.lycheeignore` have one pattern each.
        let (_, exclude) = settings.iter().find(|(name, _)| name == "exclude").unwrap();
        assert_eq!(exclude.as_array().unwrap().len(), 2);
        // `header` and `unknown_key` have no equivalent.
        assert_eq!(
            notes.iter().filter(|note| note.starts_with("not mapped")).count(),
            2,
            "{notes:?}"
        );
    }
}
