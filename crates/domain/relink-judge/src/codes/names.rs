//! The codes by name, for those who give them.

use relink_model::Code;

/// Not found or gone.
pub const GONE: Code = Code::new(101);
/// No such host.
pub const NO_SUCH_HOST: Code = Code::new(102);
/// No answer.
pub const NO_ANSWER: Code = Code::new(103);
/// Dead directory.
pub const DEAD_DIRECTORY: Code = Code::new(104);
/// Endless redirects.
pub const REDIRECT_LOOP: Code = Code::new(105);
/// Redirect to no address.
pub const REDIRECT_MALFORMED: Code = Code::new(106);
/// Permanent redirect.
pub const MOVED: Code = Code::new(201);
/// Long chain of redirects.
pub const LONG_CHAIN: Code = Code::new(202);
/// Redirect to the home page.
pub const REDIRECT_HOME: Code = Code::new(203);
/// Error page that says 200.
pub const SOFT_404: Code = Code::new(301);
/// Another owner.
pub const HIJACKED: Code = Code::new(302);
/// Content has changed.
pub const DRIFTED: Code = Code::new(303);
/// Placeholder page.
pub const PLACEHOLDER: Code = Code::new(304);
/// Login needed.
pub const UNAUTHORIZED: Code = Code::new(401);
/// Payment needed.
pub const PAYMENT_REQUIRED: Code = Code::new(402);
/// Access refused.
pub const FORBIDDEN: Code = Code::new(403);
/// Proxy login needed.
pub const PROXY_LOGIN: Code = Code::new(407);
/// Refused in jest.
pub const TEAPOT: Code = Code::new(418);
/// Asked too often.
pub const TOO_MANY_REQUESTS: Code = Code::new(429);
/// Withheld for legal reasons.
pub const LEGAL: Code = Code::new(451);
/// Private address not opened.
pub const PRIVATE_ADDRESS: Code = Code::new(490);
/// Closed by robots.txt.
pub const ROBOTS: Code = Code::new(491);
/// Needs scripts.
pub const NEEDS_SCRIPT: Code = Code::new(492);
/// Login in place of the page.
pub const LOGIN_WALL: Code = Code::new(493);
/// Consent or payment wall.
pub const CONSENT_WALL: Code = Code::new(494);
/// Notice in place of the site.
pub const SITE_NOTICE: Code = Code::new(495);
/// Visitors are tested.
pub const CHALLENGED: Code = Code::new(499);
/// Server error.
pub const SERVER_ERROR: Code = Code::new(500);
/// Bad gateway.
pub const BAD_GATEWAY: Code = Code::new(502);
/// Service unavailable.
pub const UNAVAILABLE: Code = Code::new(503);
/// Gateway time-out.
pub const GATEWAY_TIMEOUT: Code = Code::new(504);
/// Refused as a bad request.
pub const BAD_REQUEST: Code = Code::new(510);
/// A status that is no answer.
pub const NOT_AN_ANSWER: Code = Code::new(518);
/// Other server error.
pub const OTHER_SERVER_ERROR: Code = Code::new(519);
/// Certificate expired.
pub const TLS_EXPIRED: Code = Code::new(520);
/// Certificate for another name.
pub const TLS_WRONG_NAME: Code = Code::new(521);
/// Certificate not trusted.
pub const TLS_UNTRUSTED: Code = Code::new(522);
/// Certificate withdrawn.
pub const TLS_REVOKED: Code = Code::new(523);
/// No encrypted connection.
pub const TLS_HANDSHAKE: Code = Code::new(524);
/// Time-out.
pub const TIMED_OUT: Code = Code::new(540);
/// Connection refused.
pub const CONNECTION_REFUSED: Code = Code::new(541);
/// Connection broken off.
pub const CONNECTION_RESET: Code = Code::new(542);
/// Host unreachable.
pub const UNREACHABLE: Code = Code::new(543);
/// Name server failed.
pub const DNS_FAILED: Code = Code::new(544);
/// Answer breaks off.
pub const TRUNCATED: Code = Code::new(545);
/// Answer is not HTTP.
pub const NOT_HTTP: Code = Code::new(546);
/// Internal error.
pub const INTERNAL_ERROR: Code = Code::new(590);
/// Missing file.
pub const MISSING_FILE: Code = Code::new(601);
/// Malformed address.
pub const MALFORMED_URL: Code = Code::new(602);
/// Missing anchor.
pub const MISSING_ANCHOR: Code = Code::new(603);
/// Template placeholder.
pub const TEMPLATE_PLACEHOLDER: Code = Code::new(604);
/// In bad company.
pub const DECAYING: Code = Code::new(901);
/// Archived nowhere.
pub const NOT_ARCHIVED: Code = Code::new(902);
