//! Status codes that are not registered but common.
//!
//! The name includes the vendor, if known.

use super::advice::{BROWSER, CHECK, HTTPS, MANUAL, NOTHING, OWNER, SLOWER, WAIT};
use super::{Row, row};

pub(super) static TABLE: &[Row] = &[
    row(
        218,
        "This Is Fine (Apache)",
        "The server forwards a response that it could not interpret.",
        NOTHING,
    ),
    row(419, "Page Expired (Laravel)", "The CSRF token of the form has expired.", CHECK),
    row(420, "Enhance Your Calm", "The client sends too many requests.", SLOWER),
    row(430, "Security Rejection (Shopify)", "The shop rejects the request as an attack.", BROWSER),
    row(440, "Login Time-out (IIS)", "The login session has expired.", MANUAL),
    row(
        444,
        "No Response (nginx)",
        "The server deliberately closed the connection without a response.",
        CHECK,
    ),
    row(449, "Retry With (IIS)", "The request lacks information that the server requires.", CHECK),
    row(450, "Blocked by Parental Controls (Windows)", "A content filter blocks the page.", MANUAL),
    row(
        460,
        "Client Closed Connection (AWS)",
        "According to the load balancer, the client closed the connection first.",
        CHECK,
    ),
    row(
        463,
        "Too Many Forwarding Addresses (AWS)",
        "The request passed through more proxies than the load balancer accepts.",
        CHECK,
    ),
    row(
        464,
        "Incompatible Protocol (AWS)",
        "The load balancer and the server behind it use different protocols.",
        OWNER,
    ),
    row(
        494,
        "Request Header Too Large (nginx)",
        "The request headers are larger than the server accepts.",
        CHECK,
    ),
    row(
        495,
        "SSL Certificate Error (nginx)",
        "The server did not accept the client certificate.",
        MANUAL,
    ),
    row(
        496,
        "SSL Certificate Required (nginx)",
        "The server requires a client certificate.",
        MANUAL,
    ),
    row(
        497,
        "HTTP Request Sent to HTTPS Port (nginx)",
        "The URL has the scheme http, but the port expects https.",
        HTTPS,
    ),
    row(
        498,
        "Invalid Token (Esri)",
        "The access token in the URL has expired or is wrong.",
        MANUAL,
    ),
    row(499, "Client Closed Request (nginx)", "The client closed the connection first.", CHECK),
    row(509, "Bandwidth Limit Exceeded", "The site has exceeded its traffic limit.", WAIT),
    row(
        520,
        "Web Server Returned an Unknown Error (Cloudflare)",
        "The origin server sent an invalid response.",
        WAIT,
    ),
    row(521, "Web Server Is Down (Cloudflare)", "The origin server refuses connections.", WAIT),
    row(
        522,
        "Connection Timed Out (Cloudflare)",
        "The origin server did not accept the connection in time.",
        WAIT,
    ),
    row(
        523,
        "Origin Is Unreachable (Cloudflare)",
        "There is no network route to the origin server.",
        WAIT,
    ),
    row(524, "A Timeout Occurred (Cloudflare)", "The origin server did not respond in time.", WAIT),
    row(
        525,
        "SSL Handshake Failed (Cloudflare)",
        "The TLS handshake with the origin server failed.",
        OWNER,
    ),
    row(
        526,
        "Invalid SSL Certificate (Cloudflare)",
        "The origin server has an invalid certificate.",
        OWNER,
    ),
    row(527, "Railgun Error (Cloudflare)", "The connection to the origin server failed.", WAIT),
    row(529, "Site Is Overloaded", "The site gets more requests than it can serve.", WAIT),
    row(
        530,
        "Site Is Frozen or Has No Origin",
        "The host has no origin server, or the account is frozen.",
        WAIT,
    ),
    row(540, "Temporarily Disabled (Shopify)", "The shop is temporarily closed.", WAIT),
    row(561, "Unauthorized (AWS)", "The load balancer could not complete a login.", MANUAL),
    row(598, "Network Read Timeout", "A proxy did not get the response in time.", WAIT),
    row(599, "Network Connect Timeout", "A proxy could not connect in time.", WAIT),
    row(
        783,
        "Unexpected Token (Shopify)",
        "The request contains something that the shop could not parse.",
        CHECK,
    ),
    row(999, "Request Denied", "The server rejects programs; browsers get the page.", BROWSER),
];
