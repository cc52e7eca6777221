//! Reads inputs and documents: collects their links, checks local files and anchors, and adds
//! the tasks of the other links to the run.
//!
//! A loader reads files, URL lists, web pages and sitemaps, and writes their links to the store.
//! [`extract()`] prints the links of documents without a store. [`parse_page`] parses a page of
//! a crawl. This crate fetches only inputs and sitemaps; `relink-engine` fetches the links.

mod anchors;
mod base;
mod binary;
mod decompress;
mod extract;
mod load;
mod parsed_page;
mod reserved;
mod sitemap_limits;

pub use anchors::{decoded, has_anchor, page_anchor_hashes};
pub use base::is_base;
pub use decompress::{DecompressError, DecompressLimits, decompress, inner_name, is_gzip};
pub use extract::{ExtractProblem, ExtractSettings, ExtractSummary, StdinReader, extract};
pub use load::{
    AssumedSite, CheckSkipReason, Diagnostic, Diagnostics, Input, LoadProgress, LoadSettings,
    LoadSummary, Loader, LocalRules, PathMap, ProbedPage, ReadOptions, ResolvedInput, SiteChoice,
    SkipCounts, content_hash, may_list_sitemaps, resolve_inputs,
};
pub use parsed_page::{
    BadLink, MAX_SITEMAP_BYTES, MAX_SITEMAP_LINKS, ParsedLink, ParsedPage, SitemapKind,
    decompress_body, is_named_as_sitemap, is_sitemap, parse_page,
};
pub use sitemap_limits::{MAX_INDEX_LEVELS, MAX_SITEMAPS, SitemapLimits};

/// Size in bytes above which a document is read in windows.
const LARGE_DOCUMENT_SIZE: usize = 16 << 20;

/// Size of a window in bytes.
const WINDOW_SIZE: usize = 4 << 20;
