//! Tests of the rules for doubts about the network.

use jiff::Timestamp;
use relink_model::{DnsError, Hop, Timings};

use super::*;

/// Returns a probe that ended at `final_url` with a page of this title.
fn probe(outcome: FetchOutcome, final_url: &str, title: &str) -> Probe {
    let hop = Hop { url: final_url.to_owned(), status: 200, location: None, ip: None };
    let digest = Digest { title: Some(title.to_owned()), ..Digest::default() };
    Probe {
        requested_at: Timestamp::UNIX_EPOCH,
        hops: vec![hop],
        outcome,
        timings: Timings::default(),
        retry_after: None,
        version: None,
        digest: Some(Box::new(digest)),
    }
}

/// Returns the evidence of `reached` domains with different pages, `unresolved`
/// domains, and `unreached` domains with connection timeouts.
fn evidence(reached: usize, unresolved: usize, unreached: usize) -> NetworkEvidence {
    let mut evidence = NetworkEvidence::default();
    for number in 0..reached {
        let domain = format!("up{number}.test");
        let page = probe(FetchOutcome::Response(200), &format!("http://{domain}/"), &domain);
        evidence.record(&domain, &page);
    }
    let failed_probe = |outcome| Probe { hops: Vec::new(), digest: None, ..probe(outcome, "", "") };
    for number in 0..unresolved {
        let outcome = FetchOutcome::DnsFailed(DnsError::NoSuchName);
        evidence.record(&format!("gone{number}.test"), &failed_probe(outcome));
    }
    for number in 0..unreached {
        let outcome = FetchOutcome::TimedOut(Phase::Connect);
        evidence.record(&format!("far{number}.test"), &failed_probe(outcome));
    }
    evidence
}

/// Asserts whether the network is in doubt after these numbers of domains.
#[track_caller]
fn check(reached: usize, unresolved: usize, unreached: usize, is_doubted: bool) {
    let doubt = evidence(reached, unresolved, unreached).doubt();
    let numbers = format!("reached {reached}, unresolved {unresolved}, unreached {unreached}");
    assert_eq!(doubt.is_some(), is_doubted, "{numbers}: {doubt:?}");
}

#[test]
fn nonexistent_names_are_credible_in_short_lists() {
    check(0, 1, 0, false);
    check(0, 2, 0, false);
    check(1, 2, 0, false);
    check(1, 1, 1, false);
    check(1, 9, 0, false);
}

#[test]
fn network_is_in_doubt_if_no_external_host_is_reached() {
    check(0, 3, 0, true);
    check(0, 0, 3, true);
    check(0, 2, 1, true);
    check(0, 29, 0, true);
}

#[test]
fn resolution_is_in_doubt_if_almost_all_names_fail() {
    check(1, 29, 0, true);
    check(2, 10, 0, true);
    check(3, 10, 0, false);
    check(20, 10, 0, false);
    // Three reached domains prove that names are resolved.
    check(3, 500, 0, false);
}

#[test]
fn order_of_results_does_not_matter_before_network_is_proven() {
    let mut unresolved = evidence(0, 12, 0);
    unresolved.record("up.test", &probe(FetchOutcome::Response(404), "http://up.test/", ""));
    assert_eq!(unresolved.doubt(), evidence(1, 12, 0).doubt());
}

/// Returns the evidence of `shared` domains that all return the page of a captive portal, and
/// `own` domains with different pages.
fn evidence_with_portal(shared: usize, own: usize) -> NetworkEvidence {
    let mut evidence = evidence(own, 0, 0);
    for number in 0..shared {
        let domain = format!("shared{number}.test");
        let page = probe(FetchOutcome::Response(200), &format!("http://{domain}/"), "Buy now");
        evidence.record(&domain, &page);
    }
    evidence
}

#[test]
fn same_page_from_almost_all_hosts_is_doubted() {
    assert_eq!(
        evidence_with_portal(5, 0).page_doubt(false),
        Some(NetworkDoubt::SamePage { domains: 5 })
    );
    assert!(evidence_with_portal(60, 2).page_doubt(false).is_some());
    assert_eq!(evidence_with_portal(4, 0).page_doubt(false), None);
    assert_eq!(evidence_with_portal(5, 5).page_doubt(false), None);
    assert!(evidence_with_portal(2, 0).page_doubt(true).is_some());
    assert_eq!(evidence_with_portal(1, 0).page_doubt(true), None);
}

/// Returns the evidence of five domains with the same outcome and final URL.
fn evidence_of_five_domains(
    outcome: &FetchOutcome,
    final_url: &str,
    title: &str,
) -> NetworkEvidence {
    let mut evidence = NetworkEvidence::default();
    for number in 0..5 {
        evidence.record(&format!("a{number}.test"), &probe(outcome.clone(), final_url, title));
    }
    evidence
}

#[test]
fn redirect_of_all_hosts_to_one_host_is_doubted() {
    let not_resolved = FetchOutcome::DnsFailed(DnsError::NoSuchName);
    let responses = [200, 404].map(FetchOutcome::Response);
    for outcome in responses.into_iter().chain([not_resolved]) {
        let evidence = evidence_of_five_domains(&outcome, "http://portal.test/login", "");
        assert_eq!(evidence.page_doubt(false), Some(NetworkDoubt::SamePage { domains: 5 }));
    }
}

#[test]
fn same_error_page_is_doubted_unless_it_is_a_default_page() {
    let evidence =
        |title| evidence_of_five_domains(&FetchOutcome::Response(404), "http://x/", title);
    assert!(evidence("Blocked by the gateway").page_doubt(false).is_some());
    for title in ["404 Not Found", "Page not found", "410 Gone", ""] {
        assert_eq!(evidence(title).page_doubt(false), None, "{title}");
    }
    let mut mixed = evidence("Blocked by the gateway");
    mixed.record("own.test", &probe(FetchOutcome::Response(404), "http://own.test/", ""));
    assert_eq!(mixed.page_doubt(false), None);
    assert!(!evidence("Blocked by the gateway").has_different_pages());
}

#[test]
fn login_to_the_network_is_doubted_unless_more_hosts_are_reached() {
    let doubt_after_logins = |count| {
        let mut evidence = evidence(1, 0, 0);
        for number in 0..count {
            let domain = format!("login{number}.test");
            evidence.record(&domain, &probe(FetchOutcome::Response(511), "http://x/", ""));
        }
        evidence.doubt()
    };
    assert_eq!(doubt_after_logins(1), None);
    assert_eq!(doubt_after_logins(2), Some(NetworkDoubt::LoginRequired { domains: 2 }));
}

#[test]
fn closed_connections_and_gateway_errors_do_not_prove_that_hosts_are_reached() {
    let closed = FetchOutcome::ProtocolError(ProtocolError::Closed);
    let gateway = [502, 504].map(FetchOutcome::Response);
    for outcome in gateway.into_iter().chain([closed]) {
        let doubt = evidence_of_five_domains(&outcome, "http://x/", "").doubt();
        assert_eq!(doubt, Some(NetworkDoubt::NothingReached { tried: 5 }), "{outcome}");
    }
    assert_eq!(
        evidence_of_five_domains(&FetchOutcome::Response(500), "http://x/", "").doubt(),
        None
    );
}

#[test]
fn parked_pages_among_other_pages_are_not_doubted() {
    let evidence = evidence_with_portal(5, 6);
    assert!(evidence.has_different_pages());
    assert_eq!(evidence.page_doubt(false), None);
    assert!(!evidence_with_portal(5, 2).has_different_pages());
}

/// Asserts the registrable domain, or `None` for a host of the local network.
#[track_caller]
fn check_domain(url: &str, expect: Option<&str>) {
    assert_eq!(external_domain(&Url::parse(url).unwrap()).as_deref(), expect, "{url}");
}

#[test]
fn external_domain_excludes_local_hosts() {
    check_domain("http://127.0.0.1:8080/", None);
    check_domain("http://[::1]/", None);
    check_domain("http://192.168.1.1/", None);
    check_domain("http://localhost/", None);
    check_domain("http://printer/", None);
    check_domain("http://nas.local/", None);
    check_domain("http://nowhere.invalid/", None);
    check_domain("http://192.0.2.7/", Some("192.0.2.7"));
    check_domain("http://www.example.co.uk/", Some("example.co.uk"));
    check_domain("http://a.b.test/", Some("b.test"));
}
