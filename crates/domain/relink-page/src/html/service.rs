//! Which services an address, an identifier or a script names.
//!
//! One table of words. A text is cut into words once, and each word looked up
//! by its hash, so that a table of a hundred words costs no more than one of
//! ten. Nothing is decided here: the same service stands on walls and in
//! ordinary pages, and what it means depends on what else the page shows.

use crate::cut::Cut as _;

/// How much of an address or identifier is looked at.
const ADDRESS_LENGTH: usize = 512;

/// A set of services, and of what else a word can say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Services(u8);

impl Services {
    /// A test of visitors that takes the place of a page.
    pub(super) const WALL: Self = Self(1);
    /// A test of visitors that runs unseen in ordinary pages too.
    pub(super) const GUARD: Self = Self(1 << 1);
    /// A test of visitors that stands in forms, and on walls.
    pub(super) const WIDGET: Self = Self(1 << 2);
    /// Advertisements on parked domains, or the sale of domains.
    pub(super) const PARKING: Self = Self(1 << 3);
    /// Asks for consent.
    pub(super) const CONSENT: Self = Self(1 << 4);
    /// Counts visitors; builds nothing.
    pub(super) const COUNTER: Self = Self(1 << 5);
    /// Bundled scripts of a framework that builds pages.
    pub(super) const BUNDLE: Self = Self(1 << 6);
    /// The variant of a wall or widget that is only a [`Services::GUARD`].
    const TAME: Self = Self(1 << 7);

    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether a script of these services has another purpose than to build
    /// the page.
    pub(super) fn is_of_others(self) -> bool {
        self.without(Self::BUNDLE) != Self::default()
    }

    const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The services an address or identifier names.
    pub(super) fn of_address(value: &str) -> Self {
        Self::of_text(value.as_bytes().cut(..value.len().min(ADDRESS_LENGTH)))
    }

    /// The services any text names.
    #[expect(clippy::indexing_slicing, reason = "the table has a cell for every byte")]
    pub(super) fn of_text(text: &[u8]) -> Self {
        let mut found = Self::default();
        let (mut hash, mut start) = (EMPTY, 0);
        for (at, &byte) in text.iter().enumerate() {
            match LETTERS[usize::from(byte)] {
                0 => {
                    if hash != EMPTY {
                        found = found.with(meaning(hash, text.cut(start..at), text.cut(at..)));
                    }
                    (hash, start) = (EMPTY, at + 1);
                }
                letter => hash = mixed(hash, letter),
            }
        }
        if hash != EMPTY {
            found = found.with(meaning(hash, text.cut(start..), b""));
        }
        found.settled()
    }

    fn settled(self) -> Self {
        let tests = Self::WALL.with(Self::WIDGET);
        if self.has(Self::TAME) && self.has(tests) {
            return self.without(tests).without(Self::TAME).with(Self::GUARD);
        }
        self.without(Self::TAME)
    }
}

/// A word, what must follow it at once, and what both together mean. All in
/// lower case; a word is of letters, digits and `-_$`.
type ServiceToken = (&'static str, &'static str, Services);

use Services as S;

/// The words by which services are known, as found in public documentation
/// and on public pages.
const WORDS: &[ServiceToken] = &[
    // Tests of visitors.
    ("challenge-platform", "/", S::WALL),
    ("scripts", "/jsd/", S::TAME),
    ("scripts", "/invisible", S::TAME),
    ("__cf$cv$params", "", S::TAME),
    ("_cf_chl_opt", "", S::WALL),
    ("__cf_chl_f_tk", "", S::WALL),
    ("challenge-form", "", S::WALL),
    ("challenge-running", "", S::WALL),
    ("challenge-stage", "", S::WALL),
    ("challenges", ".cloudflare.com", S::WIDGET),
    ("cf-turnstile", "", S::WIDGET),
    ("recaptcha", "", S::WIDGET),
    ("g-recaptcha", "", S::WIDGET),
    // The third version is told its key in the address, and tests unseen.
    ("render", "=6l", S::TAME),
    ("hcaptcha", "", S::WIDGET),
    ("h-captcha", "", S::WIDGET),
    ("captcha-delivery", ".com", S::WALL),
    ("datadome", "", S::GUARD),
    ("px-captcha", "", S::WALL),
    ("px-captcha-wrapper", "", S::WALL),
    ("px-cloud", ".net", S::GUARD),
    ("px-cdn", ".net", S::GUARD),
    ("perimeterx", "", S::GUARD),
    ("_pxappid", "", S::GUARD),
    ("_incapsula_resource", "", S::GUARD),
    ("awswaf", ".com", S::GUARD),
    ("awswafintegration", "", S::GUARD),
    ("_sec", "/cp_challenge", S::WALL),
    ("_sec", "/verify", S::WALL),
    ("_sec", "/", S::GUARD),
    ("sec-if-cpt-container", "", S::WALL),
    ("sec-cpt-if", "", S::WALL),
    ("bm-verify", "", S::WALL),
    ("ddos-guard", "", S::WALL),
    ("arkoselabs", ".com", S::WIDGET),
    ("funcaptcha", "", S::WIDGET),
    ("geetest", "", S::WIDGET),
    ("initgeetest", "", S::WIDGET),
    ("friendlycaptcha", "", S::WIDGET),
    ("friendly-challenge", "", S::WIDGET),
    ("frc-captcha", "", S::WIDGET),
    ("mtcaptcha", "", S::WIDGET),
    ("smartcaptcha", "", S::WIDGET),
    ("smart-captcha", "", S::WIDGET),
    ("showcaptcha", "", S::WALL),
    ("checkcaptcha", "", S::WALL),
    ("tcaptcha", "", S::WIDGET),
    ("altcha", "", S::WIDGET),
    ("anubis", "", S::WALL),
    ("anubis_challenge", "", S::WALL),
    ("sucuri_cloudproxy_js", "", S::WALL),
    ("perfdrive", ".com", S::WALL),
    ("kpsdk", "", S::GUARD),
    ("tspd", "/", S::GUARD),
    ("__qrator", "", S::WALL),
    ("vercel", "/security/", S::WALL),
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
    // Counters.
    ("googletagmanager", "", S::COUNTER),
    ("google-analytics", "", S::COUNTER),
    ("gtag", "/js", S::COUNTER),
    ("analytics", "", S::COUNTER),
    ("cloudflareinsights", "", S::COUNTER),
    ("email-decode", "", S::COUNTER),
    ("rocket-loader", "", S::COUNTER),
    ("matomo", "", S::COUNTER),
    ("piwik", "", S::COUNTER),
    ("plausible", "", S::COUNTER),
    ("hotjar", "", S::COUNTER),
    ("clarity", ".ms", S::COUNTER),
    ("statcounter", "", S::COUNTER),
    ("umami", "", S::COUNTER),
    ("mc", ".yandex", S::COUNTER),
    ("hm", ".baidu.com", S::COUNTER),
    ("fbevents", ".js", S::COUNTER),
    ("adsbygoogle", ".js", S::COUNTER),
    // Frameworks that build a page from nothing.
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

/// What each byte is to a word: the letter in lower case, or 0 where words part.
const LETTERS: [u8; 256] = letters();

#[expect(clippy::indexing_slicing, reason = "the table has a cell for every byte")]
const fn letters() -> [u8; 256] {
    let mut letters = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'$') {
            letters[byte as usize] = byte.to_ascii_lowercase();
        }
        byte += 1;
    }
    letters
}

/// The hash of no letters (FNV-1a, 32 bits).
const EMPTY: u32 = 0x811C_9DC5;

const fn mixed(hash: u32, letter: u8) -> u32 {
    (hash ^ letter as u32).wrapping_mul(0x0100_0193)
}

#[expect(clippy::indexing_slicing, reason = "the loop ends with the word")]
const fn hash_of(word: &str) -> u32 {
    let (mut hash, mut at) = (EMPTY, 0);
    while at < word.len() {
        hash = mixed(hash, word.as_bytes()[at]);
        at += 1;
    }
    hash
}

/// Roomy, so that a word of no service mostly meets an empty slot at once.
const SLOT_COUNT: usize = 2048;

/// Each word's number in the table plus one, in the slot of its hash or the
/// next free one after it.
static SLOTS: [u8; SLOT_COUNT] = slots();

#[expect(
    clippy::indexing_slicing,
    reason = "numbers end with the words, and slots are taken modulo their count"
)]
const fn slots() -> [u8; SLOT_COUNT] {
    assert!(WORDS.len() < u8::MAX as usize, "a slot holds a byte");
    let mut slots = [0; SLOT_COUNT];
    let mut number = 0;
    while number < WORDS.len() {
        let mut slot = slot_of(hash_of(WORDS[number].0));
        while slots[slot] != 0 {
            slot = (slot + 1) % SLOT_COUNT;
        }
        #[expect(clippy::cast_possible_truncation, reason = "asserted above")]
        let entry = number as u8 + 1;
        slots[slot] = entry;
        number += 1;
    }
    slots
}

const fn slot_of(hash: u32) -> usize {
    // The upper bits are mixed best.
    (hash ^ (hash >> 16)) as usize % SLOT_COUNT
}

/// What a word means with what follows it.
#[expect(
    clippy::indexing_slicing,
    reason = "slots are taken modulo their count and hold numbers of words"
)]
fn meaning(hash: u32, word: &[u8], rest: &[u8]) -> Services {
    let mut found = Services::default();
    let mut slot = slot_of(hash);
    while let Some(number) = usize::from(SLOTS[slot]).checked_sub(1) {
        let (text, then, services) = WORDS[number];
        if word.eq_ignore_ascii_case(text.as_bytes()) && begins(rest, then) {
            found = found.with(services);
        }
        slot = (slot + 1) % SLOT_COUNT;
    }
    found
}

/// Whether `text` begins with `start`; a name after a point must end there.
fn begins(text: &[u8], start: &str) -> bool {
    let Some((head, after)) = text.split_at_checked(start.len()) else {
        return false;
    };
    let goes_on = after.first().is_some_and(u8::is_ascii_alphanumeric);
    head.eq_ignore_ascii_case(start.as_bytes()) && !(start.starts_with('.') && goes_on)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: Services) {
        assert_eq!(Services::of_address(text), expect, "{text}");
    }

    #[test]
    fn every_word_is_found_wherever_it_stands() {
        for (word, then, services) in WORDS {
            for text in
                [format!("{word}{then}"), format!("//a.test/{}{then}?x", word.to_uppercase())]
            {
                let found = Services::of_text(text.as_bytes());
                let wanted = services.settled();
                assert!(found.0 & wanted.0 == wanted.0, "{text}");
            }
        }
    }

    #[test]
    fn the_table_is_in_lower_case_and_of_whole_words() {
        for (word, then, _) in WORDS {
            assert!(word.bytes().all(|byte| LETTERS[usize::from(byte)] == byte), "{word}");
            assert_eq!(then.to_lowercase(), *then);
            assert!(then.bytes().next().is_none_or(|byte| LETTERS[usize::from(byte)] == 0));
        }
    }

    #[test]
    fn a_part_of_a_word_is_no_word() {
        check("https://a.test/decaf.js", Services::default());
        check("https://dan.company.test/", Services::default());
        check("https://consents.test/my-caf.js", Services::default());
        check("", Services::default());
    }

    #[test]
    fn guards_are_told_from_walls() {
        check("/cdn-cgi/challenge-platform/h/g/orchestrate/chl_page/v1", Services::WALL);
        check("/cdn-cgi/challenge-platform/scripts/jsd/main.js", Services::GUARD);
        check("https://www.google.com/recaptcha/api.js?onload=f&render=explicit", Services::WIDGET);
        check("https://www.google.com/recaptcha/api.js?render=6LdXXX", Services::GUARD);
    }

    #[test]
    fn a_long_address_is_looked_at_in_part() {
        check(&format!("{}/caf.js", "x".repeat(ADDRESS_LENGTH)), Services::default());
    }
}
