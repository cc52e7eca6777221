//! The keys of search engines: read from the environment, shown to nobody.

use std::fmt;

/// Which key an engine wants, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKeyConfig {
    /// The environment variable that holds it.
    pub variable: String,
    /// Where it is sent.
    pub placement: KeyPlace,
}

/// Where a key is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyPlace {
    /// In a header of this name, after these letters.
    Header {
        /// The name.
        name: String,
        /// What stands before the key: `Bearer `, or nothing.
        prefix: String,
    },
    /// In the address, at `{key}`.
    Address,
}

/// A key. It is written nowhere, not even by mistake.
pub(super) struct ApiKey(String);

impl ApiKey {
    /// The key that a variable holds, unless it is blank.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self(text.to_owned()))
    }

    /// The key itself, for the request alone.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Key(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_never_shown() {
        let key = ApiKey::new(" secret\n").unwrap();
        assert_eq!(format!("{key:?}"), "Key(…)");
        assert_eq!(key.reveal(), "secret");
    }

    #[test]
    fn a_blank_key_is_none() {
        assert!(ApiKey::new(" \t").is_none());
    }
}
