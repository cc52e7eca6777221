//! Tokens of the publishing interface.

use ring::hmac;
use ring::rand::SystemRandom;
use thiserror::Error;

/// Minimum length of a token.
const MIN_TOKEN_LENGTH: usize = 16;
/// The scheme of the `Authorization` header.
const SCHEME: &str = "Bearer ";

/// Why tokens cannot be used. Does not contain the token.
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

/// The tokens of providers. A token without a provider is valid for all of them.
pub struct SpiTokens {
    key: hmac::Key,
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

    /// Returns the providers that an `Authorization` header gives access to; `None` if the
    /// token is unknown.
    ///
    /// All tokens are compared, each in constant time, so that the time of a response does not
    /// reveal parts of a token.
    pub(crate) fn access(&self, authorization: &str) -> Option<Access<'_>> {
        let token = authorization.strip_prefix(SCHEME)?.trim();
        let mut access = Access { all: false, providers: Vec::new() };
        for (provider, tag) in &self.tokens {
            if hmac::verify(&self.key, token.as_bytes(), tag.as_ref()).is_ok() {
                match provider {
                    Some(provider) => access.providers.push(provider),
                    None => access.all = true,
                }
            }
        }
        (access.all || !access.providers.is_empty()).then_some(access)
    }
}

/// The providers that a token gives access to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Access<'a> {
    all: bool,
    providers: Vec<&'a str>,
}

impl Access<'_> {
    /// Whether records of this provider may be submitted.
    pub(crate) fn includes(&self, provider: &str) -> bool {
        self.all || self.providers.contains(&provider)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "0123456789abcdef";
    const TWO: &str = "fedcba9876543210";

    #[track_caller]
    fn check(header: &str, expect: Option<(bool, bool)>) {
        let tokens = SpiTokens::parse(&format!("# providers\n{ONE}\n\nmy repository  {TWO}\n"));
        let tokens = tokens.unwrap();
        let access = tokens.access(header);
        let found = access.map(|it| (it.includes("my repository"), it.includes("other")));
        assert_eq!(found, expect, "{header}");
    }

    #[test]
    fn token_gives_access_to_its_providers() {
        check(&format!("Bearer {ONE}"), Some((true, true)));
        check(&format!("Bearer {TWO}"), Some((true, false)));
        check(&format!("Basic {ONE}"), None);
        check("Bearer ", None);
        check("Bearer 0123456789abcde", None);
        check("", None);
    }

    #[test]
    fn short_and_missing_tokens_are_refused() {
        assert_eq!(SpiTokens::parse("short").err(), Some(ParseTokenError::TooShort));
        assert_eq!(SpiTokens::parse("# none\n").err(), Some(ParseTokenError::Missing));
    }
}
