//! The codes by name, for those who give them.

use relink_model::FindingCode;

/// Not found or gone.
pub const GONE: FindingCode = FindingCode::new(101);
/// No such host.
pub const NO_SUCH_HOST: FindingCode = FindingCode::new(102);
/// No answer.
pub const NO_ANSWER: FindingCode = FindingCode::new(103);
/// Dead directory.
pub const DEAD_DIRECTORY: FindingCode = FindingCode::new(104);
/// Endless redirects.
pub const REDIRECT_LOOP: FindingCode = FindingCode::new(105);
/// Redirect to no address.
pub const REDIRECT_MALFORMED: FindingCode = FindingCode::new(106);
/// Permanent redirect.
pub const MOVED: FindingCode = FindingCode::new(201);
/// Long chain of redirects.
pub const LONG_CHAIN: FindingCode = FindingCode::new(202);
/// Redirect to the home page.
pub const REDIRECT_HOME: FindingCode = FindingCode::new(203);
/// Error page that says 200.
pub const SOFT_404: FindingCode = FindingCode::new(301);
/// Another owner.
pub const HIJACKED: FindingCode = FindingCode::new(302);
/// Content has changed.
pub const DRIFTED: FindingCode = FindingCode::new(303);
/// Placeholder page.
pub const PLACEHOLDER: FindingCode = FindingCode::new(304);
/// Login needed.
pub const UNAUTHORIZED: FindingCode = FindingCode::new(401);
/// Payment needed.
pub const PAYMENT_REQUIRED: FindingCode = FindingCode::new(402);
/// Access refused.
pub const FORBIDDEN: FindingCode = FindingCode::new(403);
/// Proxy login needed.
pub const PROXY_LOGIN: FindingCode = FindingCode::new(407);
/// Refused in jest.
pub const TEAPOT: FindingCode = FindingCode::new(418);
/// Asked too often.
pub const TOO_MANY_REQUESTS: FindingCode = FindingCode::new(429);
/// Withheld for legal reasons.
pub const LEGAL: FindingCode = FindingCode::new(451);
/// Private address not opened.
pub const PRIVATE_ADDRESS: FindingCode = FindingCode::new(490);
/// Closed by robots.txt.
pub const ROBOTS: FindingCode = FindingCode::new(491);
/// Needs scripts.
pub const NEEDS_SCRIPT: FindingCode = FindingCode::new(492);
/// Login in place of the page.
pub const LOGIN_WALL: FindingCode = FindingCode::new(493);
/// Consent or payment wall.
pub const CONSENT_WALL: FindingCode = FindingCode::new(494);
/// Notice in place of the site.
pub const SITE_NOTICE: FindingCode = FindingCode::new(495);
/// Visitors are tested.
pub const CHALLENGED: FindingCode = FindingCode::new(499);
/// Server error.
pub const SERVER_ERROR: FindingCode = FindingCode::new(500);
/// Bad gateway.
pub const BAD_GATEWAY: FindingCode = FindingCode::new(502);
/// Service unavailable.
pub const UNAVAILABLE: FindingCode = FindingCode::new(503);
/// Gateway time-out.
pub const GATEWAY_TIMEOUT: FindingCode = FindingCode::new(504);
/// Refused as a bad request.
pub const BAD_REQUEST: FindingCode = FindingCode::new(510);
/// A status that is no answer.
pub const NOT_AN_ANSWER: FindingCode = FindingCode::new(518);
/// Other server error.
pub const OTHER_SERVER_ERROR: FindingCode = FindingCode::new(519);
/// Certificate expired.
pub const TLS_EXPIRED: FindingCode = FindingCode::new(520);
/// Certificate for another name.
pub const TLS_WRONG_NAME: FindingCode = FindingCode::new(521);
/// Certificate not trusted.
pub const TLS_UNTRUSTED: FindingCode = FindingCode::new(522);
/// Certificate withdrawn.
pub const TLS_REVOKED: FindingCode = FindingCode::new(523);
/// No encrypted connection.
pub const TLS_HANDSHAKE: FindingCode = FindingCode::new(524);
/// Time-out.
pub const TIMED_OUT: FindingCode = FindingCode::new(540);
/// Connection refused.
pub const CONNECTION_REFUSED: FindingCode = FindingCode::new(541);
/// Connection broken off.
pub const CONNECTION_RESET: FindingCode = FindingCode::new(542);
/// Host unreachable.
pub const UNREACHABLE: FindingCode = FindingCode::new(543);
/// Name server failed.
pub const DNS_FAILED: FindingCode = FindingCode::new(544);
/// Answer breaks off.
pub const TRUNCATED: FindingCode = FindingCode::new(545);
/// Answer is not HTTP.
pub const NOT_HTTP: FindingCode = FindingCode::new(546);
/// Internal error.
pub const INTERNAL_ERROR: FindingCode = FindingCode::new(590);
/// Missing file.
pub const MISSING_FILE: FindingCode = FindingCode::new(601);
/// Malformed address.
pub const MALFORMED_URL: FindingCode = FindingCode::new(602);
/// Missing anchor.
pub const MISSING_ANCHOR: FindingCode = FindingCode::new(603);
/// Template placeholder.
pub const TEMPLATE_PLACEHOLDER: FindingCode = FindingCode::new(604);
/// In bad company.
pub const DECAYING: FindingCode = FindingCode::new(901);
/// Archived nowhere.
pub const NOT_ARCHIVED: FindingCode = FindingCode::new(902);
