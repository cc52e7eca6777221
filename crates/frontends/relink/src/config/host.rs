//! Settings of single hosts: the table `[host."example.org"]` of the user's file.
//!
//! Values may be secret. A value is in the configuration file itself, in an environment
//! variable or in another file. `Debug` does not print values.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::AcceptValue;
use crate::error::CommandError;

/// The table of one host.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct HostConfig {
    /// See `--accept-for`.
    pub accept: Vec<AcceptValue>,
    /// Headers of every request to the host, by name.
    pub headers: BTreeMap<String, Secret>,
    /// `USER:PASSWORD` for every request to the host.
    pub basic_auth: Option<Secret>,
    /// See `--client-cert`.
    pub client_cert: Option<PathBuf>,
    /// See `--client-key`.
    pub client_key: Option<PathBuf>,
}

/// A value that is never printed.
#[derive(Clone, Deserialize)]
#[serde(untagged, expecting = "expected a text, `{ env = NAME }` or `{ file = PATH }`")]
pub enum Secret {
    /// The value itself.
    Text(String),
    /// `{ env = "NAME" }`: the value of an environment variable.
    Variable {
        /// The name of the variable.
        env: String,
    },
    /// `{ file = "PATH" }`: the content of a file, without the final newline.
    File {
        /// The path of the file.
        file: PathBuf,
    },
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

impl HostConfig {
    /// The keys of the table.
    pub const KEYS: [&'static str; 5] =
        ["accept", "basic-auth", "client-cert", "client-key", "headers"];

    /// Removes the keys that only the user's own file may set. Returns their names.
    pub fn remove_user_only(&mut self) -> Vec<&'static str> {
        let mut removed = Vec::new();
        if !std::mem::take(&mut self.headers).is_empty() {
            removed.push("headers");
        }
        if self.basic_auth.take().is_some() {
            removed.push("basic-auth");
        }
        if self.client_cert.take().is_some() {
            removed.push("client-cert");
        }
        if self.client_key.take().is_some() {
            removed.push("client-key");
        }
        removed
    }

    /// Makes paths relative to the directory of the configuration file.
    pub fn resolve_paths(&mut self, dir: &Path) {
        let secrets = self.headers.values_mut().chain(&mut self.basic_auth);
        for secret in secrets {
            if let Secret::File { file } = secret {
                *file = dir.join(&file);
            }
        }
        for path in self.client_cert.iter_mut().chain(&mut self.client_key) {
            *path = dir.join(&path);
        }
    }
}

impl Secret {
    /// Returns the value. Errors contain the name `subject` instead of the value.
    pub fn reveal(&self, subject: &str) -> Result<String, CommandError> {
        match self {
            Self::Text(text) => Ok(text.clone()),
            Self::Variable { env } => std::env::var(env).map_err(|_| {
                CommandError::usage(format!("cannot read {subject}"))
                    .cause(format!("the environment variable `{env}` is not set or not UTF-8"))
                    .hint("set the variable, or remove the entry from the configuration file")
            }),
            Self::File { file } => {
                let text = relink_files::read_to_string(file).map_err(|error| {
                    CommandError::usage(format!("cannot read {subject}"))
                        .cause(format!("`{}`: {error}", file.display()))
                })?;
                Ok(text.trim_end_matches(['\r', '\n']).to_owned())
            }
        }
    }
}
