//! Reads pages that may replace a member, with all attributes that are compared.

use relink_change::{PageAttributes, Signature, TermSettings, TermVector};
use relink_collection::VersionSummary;
use relink_engine::PageReader;
use relink_frontier::canonicalize;
use relink_model::RequestRights;
use relink_page::body_blocks;
use relink_ports::{Body, StoreError};
use relink_requests::Ports;
use url::Url;

/// Maximum number of linked pages of a page whose titles are used.
const MAX_TITLES: usize = 50;

/// A live page.
pub(crate) struct CandidatePage {
    pub(crate) version: VersionSummary,
    /// The attributes by which pages are compared: words, links, images, titles of linked
    /// pages.
    pub(crate) profile: PageAttributes,
}

/// Reads pages and the titles of the pages that they link to.
pub(crate) struct CandidateReader<'p> {
    ports: &'p Ports,
    reader: PageReader<'p>,
    /// Number of linked pages to fetch, if their titles are not stored.
    linked_pages: usize,
}

impl<'p> CandidateReader<'p> {
    pub(crate) fn new(ports: &'p Ports, reader: PageReader<'p>, linked_pages: usize) -> Self {
        Self { ports, reader, linked_pages }
    }

    /// Fetches a live page. The request has no special permissions, because the URL comes
    /// from a search engine or another page.
    pub(crate) async fn read(&mut self, url: &str) -> Result<Option<CandidatePage>, StoreError> {
        let Some((url, body)) = self.fetch(url).await else { return Ok(None) };
        let Some(page) = body_blocks(body.content_type.as_deref(), &body.bytes) else {
            return Ok(None);
        };
        let title = page.title().unwrap_or_default().to_owned();
        let signature = Signature::new(&body.bytes, &page);
        let terms = TermVector::from_member(&title, &page, "", TermSettings::default());
        let profile = self.profile(&url, &signature, &terms).await?;
        let version = VersionSummary { signature: Some(signature), terms };
        Ok(Some(CandidatePage { version, profile }))
    }

    /// Returns the attributes of a version of a page.
    pub(crate) async fn profile(
        &mut self,
        url: &Url,
        signature: &Signature,
        terms: &TermVector,
    ) -> Result<PageAttributes, StoreError> {
        let mut profile = PageAttributes {
            terms: terms.clone(),
            words: signature.content_words(),
            ..PageAttributes::default()
        };
        for link in &signature.links {
            if let Ok(link) = canonicalize(Some(url), &link.url)
                && link != *url
            {
                profile.add_link(link.as_str());
            }
        }
        signature.images.iter().for_each(|image| profile.add_image(image));
        profile.link_titles = self.link_titles(&profile).await?;
        Ok(profile)
    }

    /// Returns the weighted words of the titles of linked pages. If a title is not stored, the
    /// page is fetched; at most `linked_pages` pages are fetched.
    async fn link_titles(&mut self, profile: &PageAttributes) -> Result<TermVector, StoreError> {
        let mut titles = Vec::new();
        let mut remaining_fetches = self.linked_pages;
        for url in profile.links.iter().take(MAX_TITLES) {
            let stored = self.ports.store.live_pages(url, "", 1).await?;
            // The store returns the first page whose URL starts with `url`. It may be another
            // page.
            let stored = stored.into_iter().find(|page| page.url == *url);
            if let Some(title) = stored.and_then(|page| page.title) {
                titles.push(title);
            } else if remaining_fetches > 0 {
                remaining_fetches -= 1;
                titles.extend(self.title(url).await);
            }
        }
        Ok(TermVector::from_text(&titles.join("\n")))
    }

    /// Fetches a page and returns its title.
    async fn title(&mut self, url: &str) -> Option<String> {
        let (_, body) = self.fetch(url).await?;
        let page = body_blocks(body.content_type.as_deref(), &body.bytes)?;
        page.title().map(str::to_owned)
    }

    /// Fetches a page. Returns its URL after redirects and its body, if it is live.
    async fn fetch(&mut self, url: &str) -> Option<(Url, Body)> {
        let url = Url::parse(url).ok()?;
        self.reader.read(&url, RequestRights::discovered()).await.content
    }
}
