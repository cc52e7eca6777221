//! Constants for the codes, by number.
//!
//! The first digit names a group. The verdict of a code is in the table beside this module.
//!
//! - 1xx: the page is gone, or its redirects lead nowhere.
//! - 2xx: a redirect.
//! - 3xx: the response is misleading: it looks like a page, but is not the linked one.
//! - 4xx: the page could not be seen, mostly because its site blocks programs.
//! - 5xx: the request failed, perhaps only for a time.
//! - 6xx: a mistake in the documents themselves.
//! - 9xx: the page is alive, but at risk.
//!
//! A code for a single HTTP status has the number of the status, such as 403 and 503.

use relink_model::FindingCode;

/// Not found or gone.
pub const GONE: FindingCode = FindingCode::new(101);
/// No such host.
pub const NO_SUCH_HOST: FindingCode = FindingCode::new(102);
/// Connection failed, without a specific reason; see [`CONNECTION_REFUSED`] and the codes
/// after it.
pub const CONNECTION_FAILED: FindingCode = FindingCode::new(103);
/// Dead directory: all known pages of one directory are gone.
pub const DEAD_DIRECTORY: FindingCode = FindingCode::new(104);
/// Redirect loop.
pub const REDIRECT_LOOP: FindingCode = FindingCode::new(105);
/// Invalid redirect.
pub const INVALID_REDIRECT: FindingCode = FindingCode::new(106);
/// Permanent redirect.
pub const MOVED: FindingCode = FindingCode::new(201);
/// Long chain of redirects.
pub const LONG_CHAIN: FindingCode = FindingCode::new(202);
/// Redirect to the home page.
pub const REDIRECT_HOME: FindingCode = FindingCode::new(203);
/// Soft 404.
pub const SOFT_404: FindingCode = FindingCode::new(301);
/// Domain changed owner.
pub const HIJACKED: FindingCode = FindingCode::new(302);
/// Content has changed.
pub const DRIFTED: FindingCode = FindingCode::new(303);
/// Placeholder page.
pub const PLACEHOLDER: FindingCode = FindingCode::new(304);
/// Authentication required.
pub const UNAUTHORIZED: FindingCode = FindingCode::new(401);
/// Payment required.
pub const PAYMENT_REQUIRED: FindingCode = FindingCode::new(402);
/// Access refused.
pub const FORBIDDEN: FindingCode = FindingCode::new(403);
/// Proxy authentication required.
pub const PROXY_AUTHENTICATION: FindingCode = FindingCode::new(407);
/// 418 response.
pub const TEAPOT: FindingCode = FindingCode::new(418);
/// Too many requests.
pub const TOO_MANY_REQUESTS: FindingCode = FindingCode::new(429);
/// Withheld for legal reasons.
pub const LEGAL: FindingCode = FindingCode::new(451);
/// Private address blocked.
pub const PRIVATE_ADDRESS: FindingCode = FindingCode::new(490);
/// Disallowed by robots.txt.
pub const ROBOTS: FindingCode = FindingCode::new(491);
/// Requires JavaScript.
pub const REQUIRES_JAVASCRIPT: FindingCode = FindingCode::new(492);
/// Login page instead of the page.
pub const LOGIN_WALL: FindingCode = FindingCode::new(493);
/// Consent or payment wall.
pub const CONSENT_WALL: FindingCode = FindingCode::new(494);
/// Site-wide notice: every page of the site shows the same short text, such as one about
/// maintenance.
pub const SITE_NOTICE: FindingCode = FindingCode::new(495);
/// Bot challenge.
pub const BOT_CHALLENGE: FindingCode = FindingCode::new(499);
/// Server error.
pub const SERVER_ERROR: FindingCode = FindingCode::new(500);
/// Bad gateway.
pub const BAD_GATEWAY: FindingCode = FindingCode::new(502);
/// Service unavailable.
pub const UNAVAILABLE: FindingCode = FindingCode::new(503);
/// Gateway timeout.
pub const GATEWAY_TIMEOUT: FindingCode = FindingCode::new(504);
/// Rejected as a bad request: a 4xx status that does not say whether the page exists.
pub const BAD_REQUEST: FindingCode = FindingCode::new(510);
/// Unexpected status.
pub const UNEXPECTED_STATUS: FindingCode = FindingCode::new(518);
/// Other server error.
pub const OTHER_SERVER_ERROR: FindingCode = FindingCode::new(519);
/// Certificate expired.
pub const TLS_EXPIRED: FindingCode = FindingCode::new(520);
/// Certificate for another name.
pub const TLS_WRONG_NAME: FindingCode = FindingCode::new(521);
/// Certificate not trusted.
pub const TLS_UNTRUSTED: FindingCode = FindingCode::new(522);
/// Certificate revoked.
pub const TLS_REVOKED: FindingCode = FindingCode::new(523);
/// TLS handshake failed.
pub const TLS_HANDSHAKE: FindingCode = FindingCode::new(524);
/// Timeout.
pub const TIMED_OUT: FindingCode = FindingCode::new(540);
/// Connection refused.
pub const CONNECTION_REFUSED: FindingCode = FindingCode::new(541);
/// Connection reset.
pub const CONNECTION_RESET: FindingCode = FindingCode::new(542);
/// Host unreachable.
pub const UNREACHABLE: FindingCode = FindingCode::new(543);
/// DNS failure.
pub const DNS_FAILED: FindingCode = FindingCode::new(544);
/// Truncated response.
pub const TRUNCATED: FindingCode = FindingCode::new(545);
/// Invalid HTTP response.
pub const NOT_HTTP: FindingCode = FindingCode::new(546);
/// Internal error.
pub const INTERNAL_ERROR: FindingCode = FindingCode::new(590);
/// Missing file.
pub const MISSING_FILE: FindingCode = FindingCode::new(601);
/// Malformed URL.
pub const MALFORMED_URL: FindingCode = FindingCode::new(602);
/// Missing anchor.
pub const MISSING_ANCHOR: FindingCode = FindingCode::new(603);
/// Template placeholder.
pub const TEMPLATE_PLACEHOLDER: FindingCode = FindingCode::new(604);
/// Many dead neighbors: the page is alive, but many pages it leads to are dead.
pub const MANY_DEAD_NEIGHBORS: FindingCode = FindingCode::new(901);
/// Not archived.
pub const NOT_ARCHIVED: FindingCode = FindingCode::new(902);
