//! Converts errors of collections to messages for the terminal, with causes and hints.

use relink_requests::EngineError;
use relink_watch::WatchError;

use crate::error::CommandError;

impl From<WatchError> for CommandError {
    fn from(error: WatchError) -> Self {
        match error {
            WatchError::Engine(EngineError::Store(error)) => error.into(),
            WatchError::Engine(error) => error.into(),
            WatchError::UnknownCollection { ref known, .. } => {
                let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
                let cause = match known.as_slice() {
                    [] => "there are no collections yet".to_owned(),
                    known => format!("available: {}", known.join(", ")),
                };
                Self::usage(error.to_string())
                    .cause(cause)
                    .hint("add a collection with `relink watch add FILE --name NAME`")
            }
            WatchError::InvalidName { .. } => Self::usage(error.to_string())
                .cause("`/` separates nested collections")
                .hint("use a name such as `reading`"),
            WatchError::EmptyFile { .. } => Self::usage(error.to_string())
                .cause("only http and https URLs are collected")
                .hint("set the format with `--as`, or use a file with links to web pages"),
            WatchError::SitemapIndex { .. } => Self::usage(error.to_string())
                .cause("only sitemaps with pages are collected")
                .hint("add each sitemap of the list, or crawl the site and use `--crawl latest`"),
            WatchError::UnknownMember { .. } => Self::usage(error.to_string())
                .cause("numbers change when members are added or removed")
                .hint("use a number of `relink watch show NAME`, or a URL"),
            WatchError::InvalidUrl { .. } => Self::usage(error.to_string())
                .cause("a member is an http or https URL")
                .hint("use a URL such as `https://example.org/page`"),
            WatchError::Search(ref search) => Self::usage(search.to_string())
                .hint("set another search engine with `--search`, or try again later"),
            WatchError::NoVersion { .. } => Self::usage(error.to_string())
                .cause("the page was not fetched yet, or it is unavailable")
                .hint("run `relink watch run` first"),
        }
    }
}
