//! Webhooks: signed notices in HTTP requests to the provider, with retries.

use std::process::Command;

use relink_testkit::web::{CannedResponse, RecordedRequest};
use serde_json::Value;

use super::peers::python;
use super::{PROVIDER, Provider, time};
use crate::sandbox::CommandOutput;

/// The key of the signatures.
const SECRET: &str = "a-secret-of-the-provider";

/// Creates a provider whose notices are sent to `/hook`. One link of its records is broken.
fn provider_with_webhook() -> Provider {
    let provider = Provider::new();
    let oai = String::from(provider.web.url("/oai"));
    let hook = String::from(provider.web.url("/hook"));
    provider.harvest(&["remove", PROVIDER, "--yes"]).exits(0);
    provider.harvest(&["add", PROVIDER, "--oai", &oai, "--webhook", &hook]).exits(0);
    provider.remove_page("a.test", "/2");
    provider.run_on_day(0);
    provider
}

/// Sends all notices that are due at `now`.
fn send(provider: &Provider, now: &str) -> CommandOutput {
    provider.sandbox.write("secret", &format!("{SECRET}\n"));
    provider.harvest_at(now, &["webhook", "--send", "--secret-file", "secret"])
}

/// Returns the requests that the receiver got.
fn hook_requests(provider: &Provider) -> Vec<RecordedRequest> {
    provider.web.requests().into_iter().filter(|request| request.path == "/hook").collect()
}

/// Verifies the signature with another implementation, as a receiver does.
fn verify(request: &RecordedRequest, secret: &str) -> String {
    let header = request.header("relink-signature").unwrap();
    let body = String::from_utf8(request.body.clone()).unwrap();
    let output = Command::new(python())
        .args(["-c", include_str!("verify_webhook.py"), secret, header, &body])
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn notice_is_delivered_once_with_a_valid_signature() {
    let provider = provider_with_webhook();
    provider.web.respond("/hook", CannedResponse::new(204, ""));
    let preview = provider.harvest(&["webhook"]).exits(0).stdout;
    assert!(preview.ends_with("1 not sent; use `--send` to send them\n"), "{preview}");
    assert!(hook_requests(&provider).is_empty());
    let sent = send(&provider, &time(0)).exits(0).stdout;
    assert!(sent.contains("/hook: sent "), "{sent}");
    assert_eq!(send(&provider, &time(0)).exits(0).stdout, "");
    let requests = hook_requests(&provider);
    assert_eq!(requests.len(), 1);
    assert_eq!(verify(&requests[0], SECRET), "valid");
    assert_eq!(verify(&requests[0], "another-secret-xx"), "invalid");
    let body: Value = serde_json::from_slice(&requests[0].body).unwrap();
    assert_eq!(body["kind"], "reported");
    assert_eq!(body["provider"].as_str(), Some(PROVIDER));
    assert!(body["items"][0]["url"].as_str().unwrap().ends_with("/2"), "{body}");
    assert_eq!(requests[0].header("relink-delivery"), body["id"].as_str());
}

#[test]
fn receiver_that_is_down_gets_the_same_message_later() {
    let provider = provider_with_webhook();
    provider.web.respond("/hook", CannedResponse::new(503, ""));
    let failed = send(&provider, "2026-01-01T09:00:00Z").exits(1).stdout;
    assert!(failed.contains("will be sent again"), "{failed}");
    // The message is not sent again before the wait is over.
    send(&provider, "2026-01-01T09:00:10Z").exits(1);
    assert_eq!(hook_requests(&provider).len(), 1);
    provider.web.respond("/hook", CannedResponse::new(200, "ok"));
    send(&provider, "2026-01-01T09:05:00Z").exits(0);
    let requests = hook_requests(&provider);
    assert_eq!(requests.len(), 2);
    let id = |index: usize| requests[index].header("relink-delivery").unwrap().to_owned();
    assert_eq!(id(0), id(1));
    assert_eq!(verify(&requests[1], SECRET), "valid");
}

#[test]
fn refused_message_is_not_sent_again() {
    let provider = provider_with_webhook();
    provider.web.respond("/hook", CannedResponse::new(410, ""));
    let failed = send(&provider, &time(0)).exits(1).stdout;
    assert!(failed.contains("failed: "), "{failed}");
    assert_eq!(send(&provider, &time(1)).exits(0).stdout, "");
    assert_eq!(hook_requests(&provider).len(), 1);
    let unsigned = provider.harvest(&["webhook", "--send"]).exits(2);
    assert!(unsigned.stderr.contains("webhooks need a secret"), "{}", unsigned.stderr);
}
