//! Closed sites: a parked domain, a suspended account and a default page.

use super::Site;
use super::template::{PageTemplate, TitleStyle};
use crate::behavior;
use crate::received_request::ReceivedRequest;
use crate::response::CannedResponse;

/// The sites.
pub(super) const SITES: &[Site] = &[
    Site { host: "homestead.test", template: &BARE, fallback: parked },
    Site { host: "choir.test", template: &BARE, fallback: suspended },
    Site { host: "regatta.test", template: &BARE, fallback: default_page },
];

/// A template for sites without good pages.
const BARE: PageTemplate =
    PageTemplate { name: "", menu: &[], footer: "", title_style: TitleStyle::PageOnly, pages: &[] };

/// Responds like a parked domain, with advertisements.
fn parked(_: &PageTemplate, received: &ReceivedRequest) -> CannedResponse {
    let host = &received.request.host;
    CannedResponse::page(format!(
        "<!doctype html>\n<html>\n<head><title>{host}</title>\n\
         <script src=\"/js/caf.js\"></script></head>\n<body>\n\
         <div><a href=\"/buy\">This domain may be for sale. Inquire now.</a></div>\n\
         <h1>{host}</h1>\n<p>Related searches</p>\n\
         <ul><li>Homes for rent</li><li>Farm equipment</li><li>Wood stoves</li>\
         <li>Cheap flights</li></ul>\n<p>Privacy policy</p>\n</body>\n</html>\n"
    ))
}

/// Redirects to the notice of a hosting provider.
fn suspended(_: &PageTemplate, received: &ReceivedRequest) -> CannedResponse {
    if received.request.path != "/cgi-sys/suspendedpage.cgi" {
        return CannedResponse::redirect(302, "/cgi-sys/suspendedpage.cgi");
    }
    CannedResponse::page(
        "<!doctype html>\n<html>\n<head><title>Account Suspended</title></head>\n<body>\n\
         <h1>Account Suspended</h1>\n<p>This account has been suspended. Contact your hosting \
         provider for more information.</p>\n</body>\n</html>\n"
            .to_owned(),
    )
}

/// Serves the default page of a new web server.
fn default_page(_: &PageTemplate, received: &ReceivedRequest) -> CannedResponse {
    if received.request.path != "/" {
        return behavior::not_found();
    }
    CannedResponse::page(
        "<!doctype html>\n<html>\n<head><title>Welcome to nginx!</title></head>\n<body>\n\
         <h1>Welcome to nginx!</h1>\n<p>If you see this page, the web server is installed and \
         running. It still has to be configured.</p>\n</body>\n</html>\n"
            .to_owned(),
    )
}
