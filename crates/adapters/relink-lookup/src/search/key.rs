//! API keys of search engines. They are read from the environment and never
//! printed.

use std::fmt;

/// Source and placement of an API key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKeyConfig {
    /// Environment variable that contains the key.
    pub variable: String,
    /// Part of the request that contains the key.
    pub placement: ApiKeyPlacement,
}

/// Part of the request that contains the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApiKeyPlacement {
    /// A header.
    Header {
        /// Name of the header.
        name: String,
        /// Text before the key, such as `Bearer `. May be empty.
        prefix: String,
    },
    /// The URL, at `{key}`.
    Url,
}

/// An API key. `Debug` does not print it.
pub(super) struct ApiKey(String);

impl ApiKey {
    /// Creates a key unless the text is blank.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self(text.to_owned()))
    }

    /// Returns the key. Only for use in requests.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ApiKey(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_hides_the_key() {
        let key = ApiKey::new(" secret\n").unwrap();
        assert_eq!(format!("{key:?}"), "ApiKey(…)");
        assert_eq!(key.reveal(), "secret");
    }

    #[test]
    fn blank_key_is_none() {
        assert!(ApiKey::new(" \t").is_none());
    }
}
