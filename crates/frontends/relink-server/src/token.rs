//! Tokens of the publishing interface.

use ring::hmac;
use ring::rand::SystemRandom;
use thiserror::Error;

/// Minimum length of a token.
const MIN_TOKEN_LENGTH: usize = 16;
/// The scheme of the `Authorization` header.
const SCHEME: &str = "Bearer ";

/// The reason why tokens cannot be used. Does not contain the token.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ParseTokenError {
    /// A token is too short.
    #[error("a token has fewer than {MIN_TOKEN_LENGTH} characters")]
    TooShort,
    /// There is no token.
    #[error("there is no token")]
    Missing,
    /// The system has no random numbers.
    #[error("the system returned no random numbers")]
    NoRandomness,
}

/// The tokens of providers. Stores only the hashes of the tokens (HMAC with a random key).
pub struct SpiTokens {
    key: hmac::Key,
    /// The provider and the hash of each token. A token without a provider is valid for all
    /// providers.
    tokens: Vec<(Option<String>, hmac::Tag)>,
}

impl SpiTokens {
    /// Parses tokens: one per line, as `TOKEN` or `PROVIDER TOKEN`. Empty lines and lines that
    /// start with `#` are ignored.
    ///
    /// # Errors
    ///
    /// Fails if there is no token, or if one is too short.
    pub fn parse(text: &str) -> Result<Self, ParseTokenError> {
        let key = hmac::Key::generate(hmac::HMAC_SHA256, &SystemRandom::new())
            .map_err(|_| ParseTokenError::NoRandomness)?;
        let lines = text.lines().map(str::trim);
        let mut tokens = Vec::new();
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (provider, token) = match line.rsplit_once(char::is_whitespace) {
                Some((provider, token)) => (Some(provider.trim().to_owned()), token),
                None => (None, line),
            };
            if token.len() < MIN_TOKEN_LENGTH {
                return Err(ParseTokenError::TooShort);
            }
            tokens.push((provider, hmac::sign(&key, token.as_bytes())));
        }
        if tokens.is_empty() { Err(ParseTokenError::Missing) } else { Ok(Self { key, tokens }) }
    }

    /// Returns the providers to which the token in an `Authorization` header gives access;
    /// `None` if the token is unknown.
    ///
    /// All tokens are compared, each in constant time, so that the time of a response does not
    /// reveal parts of a token.
    pub(crate) fn access(&self, authorization: &str) -> Option<Access<'_>> {
        let token = authorization.strip_prefix(SCHEME)?.trim();
        let mut access = Access { includes_all: false, providers: Vec::new() };
        for (provider, tag) in &self.tokens {
            if hmac::verify(&self.key, token.as_bytes(), tag.as_ref()).is_ok() {
                match provider {
                    Some(provider) => access.providers.push(provider),
                    None => access.includes_all = true,
                }
            }
        }
        (access.includes_all || !access.providers.is_empty()).then_some(access)
    }
}

/// The providers to which a token gives access.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Access<'a> {
    includes_all: bool,
    providers: Vec<&'a str>,
}

impl Access<'_> {
    /// Whether records of this provider may be submitted.
    pub(crate) fn includes(&self, provider: &str) -> bool {
        self.includes_all || self.providers.contains(&provider)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A token for all providers.
    const TOKEN_FOR_ALL: &str = "0123456789abcdef";
    /// A token for the provider `my repository`.
    const TOKEN_FOR_ONE: &str = "fedcba9876543210";

    /// Checks whether a header gives access to `my repository` and to another provider; `None`
    /// means that the token is unknown.
    #[track_caller]
    fn check(header: &str, expected: Option<(bool, bool)>) {
        let text = format!("# providers\n{TOKEN_FOR_ALL}\n\nmy repository  {TOKEN_FOR_ONE}\n");
        let tokens = SpiTokens::parse(&text).unwrap();
        let access = tokens.access(header);
        let included =
            access.map(|access| (access.includes("my repository"), access.includes("other")));
        assert_eq!(included, expected, "{header}");
    }

    #[test]
    fn token_gives_access_to_its_providers() {
        check(&format!("Bearer {TOKEN_FOR_ALL}"), Some((true, true)));
        check(&format!("Bearer {TOKEN_FOR_ONE}"), Some((true, false)));
    }

    #[test]
    fn unknown_token_and_other_scheme_give_no_access() {
        check(&format!("Basic {TOKEN_FOR_ALL}"), None);
        check("Bearer ", None);
        check("Bearer 0123456789abcde", None);
        check("", None);
    }

    #[test]
    fn parse_rejects_short_and_missing_tokens() {
        assert_eq!(SpiTokens::parse("short").err(), Some(ParseTokenError::TooShort));
        assert_eq!(SpiTokens::parse("# none\n").err(), Some(ParseTokenError::Missing));
    }
}
