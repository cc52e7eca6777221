//! Status codes that nobody registered and many servers send.
//!
//! Each name says whose invention it is, where that is known.

use super::advice::{BROWSER, BY_HAND, CHECK, HTTPS, NOTHING, OWNER, SLOWER, WAIT};
use super::{Row, row};

pub(super) static TABLE: &[Row] = &[
    row(
        218,
        "This Is Fine (Apache)",
        "The server passes on an answer it could not make sense of.",
        NOTHING,
    ),
    row(
        419,
        "Page Expired (Laravel)",
        "The form's secret has expired; the page wants to be opened anew.",
        CHECK,
    ),
    row(420, "Enhance Your Calm", "The server asks for slower visits.", SLOWER),
    row(430, "Security Rejection (Shopify)", "The shop takes the request for an attack.", BROWSER),
    row(440, "Login Time-out (IIS)", "The login has expired.", BY_HAND),
    row(
        444,
        "No Response (nginx)",
        "The server closed the connection on purpose without an answer.",
        CHECK,
    ),
    row(449, "Retry With (IIS)", "The server wants more information in the request.", CHECK),
    row(
        450,
        "Blocked by Parental Controls (Windows)",
        "A filter on the way keeps the page back.",
        BY_HAND,
    ),
    row(
        460,
        "Client Closed Connection (AWS)",
        "The load balancer thinks that we hung up first.",
        CHECK,
    ),
    row(
        463,
        "Too Many Forwarding Addresses (AWS)",
        "The request passed more proxies than the load balancer accepts.",
        CHECK,
    ),
    row(
        464,
        "Incompatible Protocol (AWS)",
        "The load balancer and the server behind it speak different protocols.",
        OWNER,
    ),
    row(
        494,
        "Request Header Too Large (nginx)",
        "The head of the request is larger than the server reads.",
        CHECK,
    ),
    row(
        495,
        "SSL Certificate Error (nginx)",
        "The server did not accept the visitor's certificate.",
        BY_HAND,
    ),
    row(
        496,
        "SSL Certificate Required (nginx)",
        "The server wants a certificate from its visitors.",
        BY_HAND,
    ),
    row(
        497,
        "HTTP Request Sent to HTTPS Port (nginx)",
        "The address says http, but the port speaks https.",
        HTTPS,
    ),
    row(
        498,
        "Invalid Token (Esri)",
        "The access token in the address has expired or is wrong.",
        BY_HAND,
    ),
    row(499, "Client Closed Request (nginx)", "The server thinks that we hung up first.", CHECK),
    row(509, "Bandwidth Limit Exceeded", "The site has used up the traffic its host allows.", WAIT),
    row(
        520,
        "Web Server Returned an Unknown Error (Cloudflare)",
        "The server behind the service gave an answer that makes no sense.",
        WAIT,
    ),
    row(
        521,
        "Web Server Is Down (Cloudflare)",
        "The server behind the service refuses connections.",
        WAIT,
    ),
    row(
        522,
        "Connection Timed Out (Cloudflare)",
        "The server behind the service did not take the connection in time.",
        WAIT,
    ),
    row(
        523,
        "Origin Is Unreachable (Cloudflare)",
        "The service finds no way to the server behind it.",
        WAIT,
    ),
    row(
        524,
        "A Timeout Occurred (Cloudflare)",
        "The server behind the service took too long to answer.",
        WAIT,
    ),
    row(
        525,
        "SSL Handshake Failed (Cloudflare)",
        "The service and the server behind it could not agree on encryption.",
        OWNER,
    ),
    row(
        526,
        "Invalid SSL Certificate (Cloudflare)",
        "The server behind the service has a bad certificate.",
        OWNER,
    ),
    row(
        527,
        "Railgun Error (Cloudflare)",
        "The connection between the service and the server behind it broke.",
        WAIT,
    ),
    row(529, "Site Is Overloaded", "The site has more visitors than it can serve.", WAIT),
    row(
        530,
        "Site Is Frozen or Has No Origin",
        "The service has no server behind it for this host, or the account is frozen.",
        WAIT,
    ),
    row(540, "Temporarily Disabled (Shopify)", "The shop is closed for the time being.", WAIT),
    row(561, "Unauthorized (AWS)", "The load balancer could not complete a login.", BY_HAND),
    row(598, "Network Read Timeout", "A proxy on the way waited in vain for the answer.", WAIT),
    row(599, "Network Connect Timeout", "A proxy on the way could not connect in time.", WAIT),
    row(
        783,
        "Unexpected Token (Shopify)",
        "The request held something that the shop could not read.",
        CHECK,
    ),
    row(
        999,
        "Request Denied",
        "The server turns programs away; people are shown the page.",
        BROWSER,
    ),
];
