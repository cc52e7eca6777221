//! Links that lead somewhere else than they say: through redirects, to places
//! that are not there, or out of encryption.

use super::markup::{Markup, element};
use super::part::Body;
use super::table::{numbers, words};
use super::view::View;

pub(super) fn chains(view: &View) -> Option<Body> {
    let chains = &view.report.chains;
    Body::counted(chains.total, || {
        let columns = [words("from, hop by hop"), numbers("hops"), numbers("links")];
        view.table("Redirects, longest first", columns, &chains.rows, chains.total, |row| {
            let hops: Markup =
                row.hops.iter().map(|hop| element("li", [], view.addresses.link(hop))).collect();
            let count = row.hops.len().saturating_sub(1) as u64;
            [element("ol", [("class", "hops")], hops), count.into(), row.inlinks.into()]
        })
    })
}

pub(super) fn fragments(view: &View) -> Option<Body> {
    let fragments = &view.report.fragments;
    Body::counted(fragments.total, || {
        let columns = [words("page"), words("missing place"), words("linked from")];
        view.table(
            "What links want, and pages do not have",
            columns,
            &fragments.rows,
            fragments.total,
            |row| {
                [
                    view.addresses.link(&row.url),
                    element("code", [], format!("#{}", row.fragment)),
                    view.addresses.spots(&row.inlinks),
                ]
            },
        )
    })
}

pub(super) fn mixed(view: &View) -> Option<Body> {
    let mixed = &view.report.mixed;
    Body::counted(mixed.total, || {
        let columns = [words("encrypted page"), words("takes in, unencrypted")];
        view.table("Page by page", columns, &mixed.rows, mixed.total, |edge| {
            [view.addresses.link(&edge.from), view.addresses.link(&edge.to)]
        })
    })
}
