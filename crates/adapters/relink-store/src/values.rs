//! The stored form of values in both databases: states, times, names, JSON, anchors.

use jiff::Timestamp;
use relink_model::{Attempt, Digest, FailureStreak, FetchPurpose, Hop, Probe};
use relink_ports::NewLink;
use serde::de::DeserializeOwned;

/// Values of `run.state`.
pub(crate) mod run_state {
    pub(crate) const OPEN: i64 = 0;
    pub(crate) const FINISHED: i64 = 1;
    pub(crate) const NO_NETWORK: i64 = 2;
    pub(crate) const ABANDONED: i64 = 3;
}

/// Values of `task.state`. SQL texts contain the numbers with a comment, not as parameters. The
/// reason is that a partial index such as `WHERE state = 0` is used only if the statement
/// contains this condition literally.
pub(crate) mod task_state {
    pub(crate) const PENDING: i64 = 0;
    pub(crate) const HELD: i64 = 1;
    pub(crate) const FINISHED: i64 = 2;
}

/// The number of buckets, which are groups of hosts. A worker searches the buckets
/// one after the other for due hosts. Each worker starts in another bucket, so that
/// workers rarely compete for a host.
pub(crate) const BUCKETS: u64 = 64;

/// Returns the milliseconds since 1970.
pub(crate) fn millis(timestamp: Timestamp) -> i64 {
    timestamp.as_millisecond()
}

/// Returns the timestamp of milliseconds since 1970, clamped to the valid range.
pub(crate) fn timestamp(millis: i64) -> Timestamp {
    let nearest = if millis < 0 { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::from_millisecond(millis).unwrap_or(nearest)
}

/// Converts a count or limit to a database integer.
pub(crate) fn to_i64(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Parses the stored name of a verdict or code. Returns `None` only for null.
pub(crate) fn parse_name<T: DeserializeOwned>(
    text: Option<String>,
) -> serde_json::Result<Option<T>> {
    text.map(|text| serde_json::from_value(text.into())).transpose()
}

/// Parses a stored JSON value.
pub(crate) fn from_json<T: DeserializeOwned>(
    text: Option<String>,
) -> serde_json::Result<Option<T>> {
    text.map(|text| serde_json::from_str(&text)).transpose()
}

/// Returns the URL after the redirects of a probe.
pub(crate) fn final_url(probe: &Probe) -> Option<String> {
    probe.hops.last().map(|hop| hop.url.clone())
}

/// Returns the purpose with this stored name.
pub(crate) fn purpose_from_name(name: &str) -> FetchPurpose {
    FetchPurpose::ALL
        .into_iter()
        .find(|purpose| purpose.as_str() == name)
        .unwrap_or(FetchPurpose::Initial)
}

/// Returns the failure streak (successive runs with a failure) that a result stores in
/// three columns.
pub(crate) fn failure_streak(
    runs: u32,
    first: Option<i64>,
    last: Option<i64>,
) -> Option<FailureStreak> {
    match (runs, first, last) {
        (1.., Some(first), Some(last)) => {
            Some(FailureStreak { runs, first_at: timestamp(first), last_at: timestamp(last) })
        }
        _ => None,
    }
}

/// Encodes the anchor hashes of a page, 4 bytes each.
pub(crate) fn pack_anchors(anchors: &[u32]) -> Vec<u8> {
    anchors.iter().flat_map(|anchor| anchor.to_le_bytes()).collect()
}

/// Decodes the stored anchor hashes of a page.
pub(crate) fn unpack_anchors(anchors: &[u8]) -> Vec<u32> {
    anchors.as_chunks::<4>().0.iter().copied().map(u32::from_le_bytes).collect()
}

/// Returns the bucket of a host: the 64-bit FNV-1a hash of its name, modulo [`BUCKETS`].
/// The hash must not depend on the machine or version, because the bucket is stored.
pub(crate) fn host_bucket(name: &str) -> i64 {
    (fnv_1a(name) % BUCKETS).cast_signed()
}

/// Returns the stored hash of a document's label.
pub(crate) fn label_hash(label: &str) -> i64 {
    fnv_1a(label).cast_signed()
}

/// The 64-bit FNV-1a hash of a text.
fn fnv_1a(text: &str) -> u64 {
    let offset_basis = 0xcbf2_9ce4_8422_2325_u64;
    let prime = 0x0100_0000_01b3;
    let add_byte = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(prime);
    text.bytes().fold(offset_basis, add_byte)
}

/// Returns the value of `link.ignored_codes`, such as ` RL101 RL204 `. The
/// spaces around each code let SQL search for a whole code.
pub(crate) fn ignored_codes(link: &NewLink) -> Option<String> {
    (!link.ignored_codes.is_empty()).then(|| format!(" {} ", link.ignored_codes.join(" ")))
}

/// Returns the only attempt of a task. A single attempt is not stored, because its probe
/// contains the same data.
pub(crate) fn attempt_from_probe(probe: &Probe) -> Attempt {
    Attempt {
        requested_at: probe.requested_at,
        purpose: FetchPurpose::Initial,
        outcome: probe.outcome.clone(),
        duration_ms: probe.timings.total,
    }
}

/// Returns the URL of the page to which a link's fragment refers after redirects.
///
/// Browsers retain the fragment of a link across HTTP redirects, unless the `Location`
/// header has its own fragment. A `meta refresh` drops the fragment. Returns `None` if
/// the fragment is not retained, or if there was no redirect.
pub(crate) fn fragment_url(probe: &Probe) -> Option<String> {
    // A hop is a request of the redirect chain. Without earlier hops there was no redirect.
    let (last, earlier) = probe.hops.split_last().filter(|(_, earlier)| !earlier.is_empty())?;
    let retains_fragment = |hop: &Hop| {
        let has_own_fragment =
            hop.location.as_deref().is_some_and(|location| location.contains('#'));
        (300..400).contains(&hop.status) && !has_own_fragment
    };
    earlier.iter().all(retains_fragment).then(|| last.url.clone())
}

/// Returns the title of a page and the rest of its stored text.
pub(crate) fn page_text(digest: Digest) -> (String, String) {
    let parts = digest.headings.into_iter().chain([digest.text_start, digest.text_end]);
    (digest.title.unwrap_or_default(), parts.collect::<Vec<_>>().join("\n"))
}

/// Returns a text that is greater than all URLs with this prefix.
pub(crate) fn prefix_end(prefix: &str) -> String {
    format!("{prefix}{}", char::MAX)
}
