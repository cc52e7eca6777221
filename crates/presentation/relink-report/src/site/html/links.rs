//! The sections on redirect chains, links to missing anchors, and mixed content.

use super::markup::{Markup, element};
use super::section::SectionBody;
use super::table::{number_column, text_column};
use super::view::View;

/// Returns the content of the section on redirect chains.
pub(super) fn chains(view: &View) -> Option<SectionBody> {
    let chains = &view.report.chains;
    SectionBody::counted(chains.total, || {
        let columns =
            [text_column("redirect chain"), number_column("hops"), number_column("links")];
        view.table("Redirect chains, longest first", columns, &chains.rows, chains.total, |row| {
            let hops: Markup =
                row.hops.iter().map(|hop| element("li", [], view.urls.link(hop))).collect();
            let count = row.hops.len().saturating_sub(1) as u64;
            [element("ol", [("class", "hops")], hops), count.into(), row.inlinks.into()]
        })
    })
}

/// Returns the content of the section on missing anchors.
pub(super) fn fragments(view: &View) -> Option<SectionBody> {
    let fragments = &view.report.fragments;
    SectionBody::counted(fragments.total, || {
        let columns =
            [text_column("page"), text_column("missing anchor"), text_column("linked from")];
        view.table("Missing anchors", columns, &fragments.rows, fragments.total, |row| {
            [
                view.urls.link(&row.url),
                element("code", [], format!("#{}", row.fragment)),
                view.urls.inlinks(&row.inlinks),
            ]
        })
    })
}

/// Returns the content of the section on HTTP resources of HTTPS pages.
pub(super) fn mixed(view: &View) -> Option<SectionBody> {
    let mixed = &view.report.mixed_content;
    SectionBody::counted(mixed.total, || {
        let columns = [text_column("HTTPS page"), text_column("HTTP resource")];
        view.table("By page", columns, &mixed.rows, mixed.total, |edge| {
            [view.urls.link(&edge.from), view.urls.link(&edge.to)]
        })
    })
}
