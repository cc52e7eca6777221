//! Sites in whose place something else stands.

use super::Site;
use super::frame::{Frame, Titles};
use crate::answer::CannedResponse;
use crate::behavior;
use crate::visit::Visit;

/// The sites.
pub(super) const SITES: &[Site] = &[
    Site { host: "homestead.test", frame: &BARE, otherwise: parked },
    Site { host: "choir.test", frame: &BARE, otherwise: suspended },
    Site { host: "regatta.test", frame: &BARE, otherwise: default_page },
];

/// They have nothing left of their own.
const BARE: Frame = Frame { name: "", menu: &[], foot: "", titles: Titles::OfPage, leaves: &[] };

/// A name for sale, and advertisements until it is sold.
fn parked(_: &Frame, visit: &Visit) -> CannedResponse {
    let host = &visit.request.host;
    CannedResponse::page(format!(
        "<!doctype html>\n<html>\n<head><title>{host}</title>\n\
         <script src=\"/js/caf.js\"></script></head>\n<body>\n\
         <div><a href=\"/buy\">This domain may be for sale. Inquire now.</a></div>\n\
         <h1>{host}</h1>\n<p>Related searches</p>\n\
         <ul><li>Homes for rent</li><li>Farm equipment</li><li>Wood stoves</li>\
         <li>Cheap flights</li></ul>\n<p>Privacy policy</p>\n</body>\n</html>\n"
    ))
}

/// A redirect to the notice of a company that has not been paid.
fn suspended(_: &Frame, visit: &Visit) -> CannedResponse {
    if visit.request.path != "/cgi-sys/suspendedpage.cgi" {
        return CannedResponse::redirect(302, "/cgi-sys/suspendedpage.cgi");
    }
    CannedResponse::page(
        "<!doctype html>\n<html>\n<head><title>Account Suspended</title></head>\n<body>\n\
         <h1>Account Suspended</h1>\n<p>This account has been suspended. Contact your hosting \
         provider for more information.</p>\n</body>\n</html>\n"
            .to_owned(),
    )
}

/// What a server shows that was set up and then forgotten.
fn default_page(_: &Frame, visit: &Visit) -> CannedResponse {
    if visit.request.path != "/" {
        return behavior::not_found();
    }
    CannedResponse::page(
        "<!doctype html>\n<html>\n<head><title>Welcome to nginx!</title></head>\n<body>\n\
         <h1>Welcome to nginx!</h1>\n<p>If you see this page, the web server is installed and \
         running. It still has to be told what to show.</p>\n</body>\n</html>\n"
            .to_owned(),
    )
}
