//! Detects third-party services by words in URLs, identifiers and scripts.
//!
//! A text is split into words, and each word is looked up in a hash table built
//! at compile time. The caller derives the page flags, because the same service may
//! occur on bot challenges and on ordinary pages.

use crate::safe_slice::SafeSlice as _;

/// Maximum number of bytes searched at the start of an attribute value.
const MAX_VALUE_LENGTH: usize = 512;

/// A set of service kinds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Services(u8);

impl Services {
    /// A bot challenge that is shown instead of the page.
    pub(super) const CHALLENGE: Self = Self(1);
    /// Bot detection that also runs in the background of ordinary pages.
    pub(super) const BOT_DETECTION: Self = Self(1 << 1);
    /// A captcha widget, which occurs in forms and in bot challenges.
    pub(super) const CAPTCHA: Self = Self(1 << 2);
    /// Advertisements on parked domains, or the sale of domains.
    pub(super) const PARKING: Self = Self(1 << 3);
    /// A consent dialog.
    pub(super) const CONSENT: Self = Self(1 << 4);
    /// Analytics and other scripts that do not build content.
    pub(super) const ANALYTICS: Self = Self(1 << 5);
    /// Script bundles of a framework that builds pages.
    pub(super) const BUNDLE: Self = Self(1 << 6);
    /// Marks the background variant of a challenge or captcha, which counts as
    /// [`Services::BOT_DETECTION`].
    const BACKGROUND: Self = Self(1 << 7);

    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether a service other than a framework was found, whose scripts do not build the
    /// page.
    pub(super) fn has_other_purpose(self) -> bool {
        self.without(Self::BUNDLE) != Self::default()
    }

    const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns the services named in an attribute value: a URL, an id or classes.
    pub(super) fn in_value(value: &str) -> Self {
        Self::in_text(value.as_bytes().slice(..value.len().min(MAX_VALUE_LENGTH)))
    }

    /// Returns the services named in a text.
    #[expect(clippy::indexing_slicing, reason = "the table has an entry for every byte")]
    pub(super) fn in_text(text: &[u8]) -> Self {
        let mut found = Self::default();
        let (mut hash, mut start) = (EMPTY, 0);
        for (at, &byte) in text.iter().enumerate() {
            match WORD_BYTES[usize::from(byte)] {
                0 => {
                    if hash != EMPTY {
                        found = found.with(lookup(hash, text.slice(start..at), text.slice(at..)));
                    }
                    (hash, start) = (EMPTY, at + 1);
                }
                letter => hash = mix_hash(hash, letter),
            }
        }
        if hash != EMPTY {
            found = found.with(lookup(hash, text.slice(start..), b""));
        }
        found.resolve_background()
    }

    /// Removes [`Services::BACKGROUND`], after replacing a marked challenge or
    /// captcha with bot detection.
    fn resolve_background(self) -> Self {
        let challenges = Self::CHALLENGE.with(Self::CAPTCHA);
        if self.has(Self::BACKGROUND) && self.has(challenges) {
            return self.without(challenges).without(Self::BACKGROUND).with(Self::BOT_DETECTION);
        }
        self.without(Self::BACKGROUND)
    }
}

/// A word, the text that must directly follow the word, and the services that both
/// identify. Both are in lower case; a word consists of letters, digits and `-_$`.
type ServiceToken = (&'static str, &'static str, Services);

use Services as S;

/// Words that identify services, collected from public documentation and pages.
const TOKENS: &[ServiceToken] = &[
    // Bot challenges, captchas and bot detection.
    ("challenge-platform", "/", S::CHALLENGE),
    ("scripts", "/jsd/", S::BACKGROUND),
    ("scripts", "/invisible", S::BACKGROUND),
    ("__cf$cv$params", "", S::BACKGROUND),
    ("_cf_chl_opt", "", S::CHALLENGE),
    ("__cf_chl_f_tk", "", S::CHALLENGE),
    ("challenge-form", "", S::CHALLENGE),
    ("challenge-running", "", S::CHALLENGE),
    ("challenge-stage", "", S::CHALLENGE),
    ("challenges", ".cloudflare.com", S::CAPTCHA),
    ("cf-turnstile", "", S::CAPTCHA),
    ("recaptcha", "", S::CAPTCHA),
    ("g-recaptcha", "", S::CAPTCHA),
    // Version 3 has its key in the URL and runs in the background.
    ("render", "=6l", S::BACKGROUND),
    ("hcaptcha", "", S::CAPTCHA),
    ("h-captcha", "", S::CAPTCHA),
    ("captcha-delivery", ".com", S::CHALLENGE),
    ("datadome", "", S::BOT_DETECTION),
    ("px-captcha", "", S::CHALLENGE),
    ("px-captcha-wrapper", "", S::CHALLENGE),
    ("px-cloud", ".net", S::BOT_DETECTION),
    ("px-cdn", ".net", S::BOT_DETECTION),
    ("perimeterx", "", S::BOT_DETECTION),
    ("_pxappid", "", S::BOT_DETECTION),
    ("_incapsula_resource", "", S::BOT_DETECTION),
    ("awswaf", ".com", S::BOT_DETECTION),
    ("awswafintegration", "", S::BOT_DETECTION),
    ("_sec", "/cp_challenge", S::CHALLENGE),
    ("_sec", "/verify", S::CHALLENGE),
    ("_sec", "/", S::BOT_DETECTION),
    ("sec-if-cpt-container", "", S::CHALLENGE),
    ("sec-cpt-if", "", S::CHALLENGE),
    ("bm-verify", "", S::CHALLENGE),
    ("ddos-guard", "", S::CHALLENGE),
    ("arkoselabs", ".com", S::CAPTCHA),
    ("funcaptcha", "", S::CAPTCHA),
    ("geetest", "", S::CAPTCHA),
    ("initgeetest", "", S::CAPTCHA),
    ("friendlycaptcha", "", S::CAPTCHA),
    ("friendly-challenge", "", S::CAPTCHA),
    ("frc-captcha", "", S::CAPTCHA),
    ("mtcaptcha", "", S::CAPTCHA),
    ("smartcaptcha", "", S::CAPTCHA),
    ("smart-captcha", "", S::CAPTCHA),
    ("showcaptcha", "", S::CHALLENGE),
    ("checkcaptcha", "", S::CHALLENGE),
    ("tcaptcha", "", S::CAPTCHA),
    ("altcha", "", S::CAPTCHA),
    ("anubis", "", S::CHALLENGE),
    ("anubis_challenge", "", S::CHALLENGE),
    ("sucuri_cloudproxy_js", "", S::CHALLENGE),
    ("perfdrive", ".com", S::CHALLENGE),
    ("kpsdk", "", S::BOT_DETECTION),
    ("tspd", "/", S::BOT_DETECTION),
    ("__qrator", "", S::CHALLENGE),
    ("vercel", "/security/", S::CHALLENGE),
    // Parked domains and domains for sale.
    ("sedoparking", "", S::PARKING),
    ("sedo", ".com", S::PARKING),
    ("parkingcrew", "", S::PARKING),
    ("jsparkcaf", "", S::PARKING),
    ("d38psrni17bvxu", "", S::PARKING),
    ("bodis", ".com", S::PARKING),
    ("bodiscdn", ".com", S::PARKING),
    ("above", ".com", S::PARKING),
    ("parklogic", "", S::PARKING),
    ("caf", ".js", S::PARKING),
    ("adsense", "/domains", S::PARKING),
    ("domains", ".caf", S::PARKING),
    ("window", ".park", S::PARKING),
    ("voodoo", ".com", S::PARKING),
    ("dan", ".com", S::PARKING),
    ("undeveloped", ".com", S::PARKING),
    ("afternic", "", S::PARKING),
    ("hugedomains", "", S::PARKING),
    ("buydomains", "", S::PARKING),
    ("brandbucket", ".com", S::PARKING),
    ("uniregistry", "", S::PARKING),
    ("efty", ".com", S::PARKING),
    ("squadhelp", ".com", S::PARKING),
    ("cashparking", "", S::PARKING),
    ("domainsponsor", "", S::PARKING),
    ("dsnextgen", "", S::PARKING),
    ("smartname", ".com", S::PARKING),
    ("skenzo", "", S::PARKING),
    ("rookmedia", "", S::PARKING),
    ("searchmagnified", "", S::PARKING),
    ("ztomy", ".com", S::PARKING),
    ("zeropark", "", S::PARKING),
    ("parkingpage", "", S::PARKING),
    ("parking-page", "", S::PARKING),
    ("parking-lander", "", S::PARKING),
    ("parked-domain", "", S::PARKING),
    ("domainparking", "", S::PARKING),
    ("domain-parking", "", S::PARKING),
    ("lander_system", "", S::PARKING),
    // Consent.
    ("consent", "", S::CONSENT),
    ("cookie-consent", "", S::CONSENT),
    ("cookieconsent", "", S::CONSENT),
    ("consent-form", "", S::CONSENT),
    ("collectconsent", "", S::CONSENT),
    ("onetrust", "", S::CONSENT),
    ("onetrust-consent-sdk", "", S::CONSENT),
    ("cookielaw", ".org", S::CONSENT),
    ("cookiebot", "", S::CONSENT),
    ("usercentrics", "", S::CONSENT),
    ("sourcepoint", "", S::CONSENT),
    ("privacy-mgmt", ".com", S::CONSENT),
    ("sp-prod", ".net", S::CONSENT),
    ("didomi", "", S::CONSENT),
    ("privacy-center", ".org", S::CONSENT),
    ("quantcast", "", S::CONSENT),
    ("cmp", "", S::CONSENT),
    ("consentmanager", "", S::CONSENT),
    ("trustarc", "", S::CONSENT),
    ("truste", ".com", S::CONSENT),
    ("iubenda", "", S::CONSENT),
    ("cookiefirst", "", S::CONSENT),
    ("cookieyes", "", S::CONSENT),
    ("cookie-script", "", S::CONSENT),
    ("termly", ".io", S::CONSENT),
    ("osano", "", S::CONSENT),
    ("axeptio", "", S::CONSENT),
    ("fundingchoicesmessages", "", S::CONSENT),
    // Analytics.
    ("googletagmanager", "", S::ANALYTICS),
    ("google-analytics", "", S::ANALYTICS),
    ("gtag", "/js", S::ANALYTICS),
    ("analytics", "", S::ANALYTICS),
    ("cloudflareinsights", "", S::ANALYTICS),
    ("email-decode", "", S::ANALYTICS),
    ("rocket-loader", "", S::ANALYTICS),
    ("matomo", "", S::ANALYTICS),
    ("piwik", "", S::ANALYTICS),
    ("plausible", "", S::ANALYTICS),
    ("hotjar", "", S::ANALYTICS),
    ("clarity", ".ms", S::ANALYTICS),
    ("statcounter", "", S::ANALYTICS),
    ("umami", "", S::ANALYTICS),
    ("mc", ".yandex", S::ANALYTICS),
    ("hm", ".baidu.com", S::ANALYTICS),
    ("fbevents", ".js", S::ANALYTICS),
    ("adsbygoogle", ".js", S::ANALYTICS),
    // Frameworks that build pages.
    ("_next", "/static", S::BUNDLE),
    ("_nuxt", "/", S::BUNDLE),
    ("_app", "/immutable", S::BUNDLE),
    ("_framework", "/blazor", S::BUNDLE),
    ("flutter", ".js", S::BUNDLE),
    ("flutter_bootstrap", ".js", S::BUNDLE),
    ("main", ".dart.js", S::BUNDLE),
    ("nocache", ".js", S::BUNDLE),
    ("__meteor_runtime_config__", "", S::BUNDLE),
    ("static", "/js/main", S::BUNDLE),
    ("static", "/js/bundle", S::BUNDLE),
    ("bundle", ".js", S::BUNDLE),
    ("app", ".js", S::BUNDLE),
    ("chunk-vendors", "", S::BUNDLE),
    ("webpack", "", S::BUNDLE),
    ("webpack-runtime", "", S::BUNDLE),
    ("assets", "/index-", S::BUNDLE),
    ("polyfills", "", S::BUNDLE),
    ("ember", "", S::BUNDLE),
];

/// Maps each byte to its lower-case form, or to 0 if it separates words.
const WORD_BYTES: [u8; 256] = word_bytes();

#[expect(clippy::indexing_slicing, reason = "the table has an entry for every byte")]
const fn word_bytes() -> [u8; 256] {
    let mut word_bytes = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'$') {
            word_bytes[byte as usize] = byte.to_ascii_lowercase();
        }
        byte += 1;
    }
    word_bytes
}

/// The hash of the empty word (FNV-1a, 32 bits).
const EMPTY: u32 = 0x811C_9DC5;

const fn mix_hash(hash: u32, letter: u8) -> u32 {
    (hash ^ letter as u32).wrapping_mul(0x0100_0193)
}

#[expect(clippy::indexing_slicing, reason = "`at` is less than the length of the word")]
const fn hash_of(word: &str) -> u32 {
    let (mut hash, mut at) = (EMPTY, 0);
    while at < word.len() {
        hash = mix_hash(hash, word.as_bytes()[at]);
        at += 1;
    }
    hash
}

/// Number of slots of the hash table. Most slots are empty, so that the search for most
/// words that are not in the table ends at the first slot.
const SLOT_COUNT: usize = 2048;

/// Hash table with linear probing: each slot holds an index into `TOKENS` plus
/// one, or 0 if it is empty.
static SLOTS: [u8; SLOT_COUNT] = slots();

#[expect(
    clippy::indexing_slicing,
    reason = "`index` is less than the number of tokens, and slots are taken modulo their count"
)]
const fn slots() -> [u8; SLOT_COUNT] {
    assert!(TOKENS.len() < u8::MAX as usize, "a slot holds a byte");
    let mut slots = [0; SLOT_COUNT];
    let mut index = 0;
    while index < TOKENS.len() {
        let mut slot = slot_of(hash_of(TOKENS[index].0));
        while slots[slot] != 0 {
            slot = (slot + 1) % SLOT_COUNT;
        }
        #[expect(clippy::cast_possible_truncation, reason = "asserted above")]
        let entry = index as u8 + 1;
        slots[slot] = entry;
        index += 1;
    }
    slots
}

const fn slot_of(hash: u32) -> usize {
    // The upper bits have more entropy.
    (hash ^ (hash >> 16)) as usize % SLOT_COUNT
}

/// Returns the services that a word and the text after the word identify.
#[expect(
    clippy::indexing_slicing,
    reason = "slots are taken modulo their count and hold indices of tokens"
)]
fn lookup(hash: u32, word: &[u8], rest: &[u8]) -> Services {
    let mut found = Services::default();
    let mut slot = slot_of(hash);
    while let Some(index) = usize::from(SLOTS[slot]).checked_sub(1) {
        let (text, suffix, services) = TOKENS[index];
        if word.eq_ignore_ascii_case(text.as_bytes()) && starts_with(rest, suffix) {
            found = found.with(services);
        }
        slot = (slot + 1) % SLOT_COUNT;
    }
    found
}

/// Whether `text` starts with `start`, ignoring case. A `start` such as `.com`
/// must not be followed by a letter or digit.
fn starts_with(text: &[u8], start: &str) -> bool {
    let Some((head, after)) = text.split_at_checked(start.len()) else {
        return false;
    };
    let continues = after.first().is_some_and(u8::is_ascii_alphanumeric);
    head.eq_ignore_ascii_case(start.as_bytes()) && !(start.starts_with('.') && continues)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the services named in an attribute value.
    #[track_caller]
    fn check(text: &str, expect: Services) {
        assert_eq!(Services::in_value(text), expect, "{text}");
    }

    #[test]
    fn every_token_is_found_at_any_position() {
        for (word, suffix, services) in TOKENS {
            for text in
                [format!("{word}{suffix}"), format!("//a.test/{}{suffix}?x", word.to_uppercase())]
            {
                let found = Services::in_text(text.as_bytes());
                let expected = services.resolve_background();
                assert!(found.0 & expected.0 == expected.0, "{text}");
            }
        }
    }

    #[test]
    fn tokens_are_lower_case_whole_words() {
        for (word, suffix, _) in TOKENS {
            assert!(word.bytes().all(|byte| WORD_BYTES[usize::from(byte)] == byte), "{word}");
            assert_eq!(suffix.to_lowercase(), *suffix);
            assert!(suffix.bytes().next().is_none_or(|byte| WORD_BYTES[usize::from(byte)] == 0));
        }
    }

    #[test]
    fn parts_of_words_do_not_match() {
        check("https://a.test/decaf.js", Services::default());
        check("https://dan.company.test/", Services::default());
        check("https://consents.test/my-caf.js", Services::default());
        check("", Services::default());
    }

    #[test]
    fn bot_detection_is_distinguished_from_challenges() {
        check("/cdn-cgi/challenge-platform/h/g/orchestrate/chl_page/v1", Services::CHALLENGE);
        check("/cdn-cgi/challenge-platform/scripts/jsd/main.js", Services::BOT_DETECTION);
        check(
            "https://www.google.com/recaptcha/api.js?onload=f&render=explicit",
            Services::CAPTCHA,
        );
        check("https://www.google.com/recaptcha/api.js?render=6LdXXX", Services::BOT_DETECTION);
    }

    #[test]
    fn in_value_searches_the_start_of_long_values() {
        check(&format!("{}/caf.js", "x".repeat(MAX_VALUE_LENGTH)), Services::default());
    }
}
