//! `fix`: plans repairs of links in local documents.
//!
//! A repair starts from a finished check. [`plan_fixes`] offers a new URL for
//! each broken link: the last URL of a permanent redirect chain, the *alias* (a live URL
//! of the same page) that `revive` found and stored, or the archived copy.
//! [`verify_fixes`] checks the new URLs. [`plan_document`] then rewrites the documents in
//! memory. This module writes no file.

mod copies;
mod document;
mod drifted;
mod learn;
mod plan;
mod restored;
mod site;
mod verify;
mod wiki;

use std::fmt;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use relink_fix::{ColumnValues, CopyDetails, EditStyle, LinkEdit, PageVersion, ReviewReason};
use relink_judge::codes;
use relink_model::{Confidence, FindingCode, Verdict};
use relink_page::DocumentFormat;
use relink_ports::LinkLocation;
use relink_revive::copy_gap::CopyGap;

pub use self::copies::choose_dated_copies;
pub use self::document::{DocumentError, DocumentFix, FixStep, plan_document, reject_unwritable};
pub use self::learn::{LearnedDecisions, learn_decisions};
pub use self::plan::plan_fixes;
pub use self::site::{
    SelectedFix, SiteFixes, fetch_page, map_to_sources, repair_page, select_links,
};
pub use self::verify::verify_fixes;
pub use self::wiki::{WikiEditResult, WikiEditSettings, WikiEdits, WikiPageEdit, edit_wiki_pages};

/// Why a dead link has no new URL if no search was made.
const NOT_SEARCHED: &str = "not searched for; use `--revive`";

/// Why a dead link has no new URL if the search was made without archives.
const ARCHIVES_NOT_QUERIED: &str =
    "no new URL was found, and no archive was queried; use `--revive`";

/// Why a dead link has no new URL if the search had no result.
const NOT_FOUND: &str = "neither a new URL nor an archived copy was found";

/// Number of targets read from the store at a time.
const BATCH_SIZE: usize = 256;

/// Settings of a repair.
#[derive(Debug, Clone, Copy, Default)]
pub struct FixSettings {
    /// Which new URL is offered if there are several.
    pub preference: FixPreference,
    /// How new URLs are written. `None` lets redirects replace the old URL, and writes other
    /// new URLs next to the old URL.
    pub style: Option<FixStyle>,
    /// Whether a replaced URL is kept in an attribute of its link.
    pub keeps_attributes: bool,
    /// Whether links that still work because they redirect are not repaired.
    pub skips_redirects: bool,
    /// Which links in MediaWiki text get the template `{{dead link}}`, if neither a new URL
    /// nor an archived copy was found.
    pub marks: DeadLinkMarks,
    /// Whether links to archived copies are changed back if the page works again.
    pub restores: bool,
    /// The format of all documents, if the user chose one.
    pub format: Option<DocumentFormat>,
}

/// Which dead links are marked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DeadLinkMarks {
    /// The dead links in documents that are MediaWiki text by their names.
    #[default]
    ByName,
    /// All dead links: all documents are MediaWiki text.
    All,
    /// No links.
    Off,
}

/// Which new URL of a dead page is offered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FixPreference {
    /// The archived copy for citations, the alias for other links.
    #[default]
    Auto,
    /// The alias, if there is one.
    Alias,
    /// The archived copy, if there is one.
    Archive,
}

/// How a new URL is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FixStyle {
    /// Instead of the old URL.
    Replace,
    /// As a second link after the old link.
    SecondLink,
    /// As an attribute of the link, whose URL does not change.
    Annotate,
    /// As a replacement of an archived copy. A second link to the copy is removed.
    Restore,
    /// The URL is not written. The mark of a dead link is removed.
    Unmark,
}

/// Where a new URL comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FixCause {
    /// The target of a permanent redirect.
    Redirect,
    /// The alias that the search for the page found.
    Alias(Confidence),
    /// The copy in an archive, which captured the page at this time.
    ArchivedCopy(Timestamp),
    /// No new URL was found, or no search was made. In MediaWiki text, the link can be
    /// marked as dead, with this date.
    NotFound(Date),
    /// The page works again, and the link leads to an archived copy.
    BackToLife,
}

impl FixCause {
    /// Returns the name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Redirect => "redirect",
            Self::Alias(_) => "alias",
            Self::ArchivedCopy(_) => "archived-copy",
            Self::NotFound(_) => "not-found",
            Self::BackToLife => "back-to-life",
        }
    }

    /// Whether the link is only marked, because there is no new URL.
    pub const fn is_mark(self) -> bool {
        matches!(self, Self::NotFound(_))
    }

    /// Returns the text of a link to the new URL.
    fn label(self) -> &'static str {
        match self {
            Self::Redirect | Self::Alias(_) | Self::NotFound(_) | Self::BackToLife => {
                "new location"
            }
            Self::ArchivedCopy(_) => "archived copy",
        }
    }
}

impl fmt::Display for FixCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Redirect => f.write_str("permanent redirect"),
            Self::Alias(confidence) => {
                write!(f, "new URL of the page, confidence {}%", confidence.as_percent())
            }
            Self::ArchivedCopy(time) => {
                write!(f, "archived copy of {}", time.to_zoned(TimeZone::UTC).date())
            }
            Self::BackToLife => f.write_str("the page works again"),
            Self::NotFound(_) => f.write_str("no new URL is known"),
        }
    }
}

/// The planned repair of one link.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkFix {
    /// The document and the location of the link in it.
    pub location: LinkLocation,
    /// The canonical URL of the link.
    pub old_url: String,
    /// The new URL without the fragment of the link, or an empty text if no new URL was found.
    pub new_url: String,
    /// The verdict of the link.
    pub verdict: Verdict,
    /// The code of the finding.
    pub code: Option<FindingCode>,
    /// Why the link has this verdict.
    pub finding: String,
    /// Where the new URL comes from.
    pub cause: FixCause,
    /// The evidence for the new URL, if it was searched for.
    pub evidence: Vec<String>,
    /// How the new URL is written.
    pub style: FixStyle,
    /// Whether a replaced URL is kept in an attribute of the link.
    pub keeps_attributes: bool,
    /// The archived copy of the old URL.
    pub version: Option<PageVersion>,
    /// What the archived copy lacks, if the new URL is an alias.
    pub copy_gaps: Vec<CopyGap>,
    /// Whether the repair can be written.
    pub status: FixStatus,
}

/// Whether a repair can be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FixStatus {
    /// The repair can be written without confirmation by a person.
    Ready,
    /// A person must confirm the repair.
    NeedsReview(ReviewReason),
    /// The repair must not be written, for this reason.
    Rejected(String),
}

impl LinkFix {
    /// Returns the data of an archived copy for citation templates.
    fn copy_details(&self) -> Option<CopyDetails> {
        let FixCause::ArchivedCopy(time) = self.cause else { return None };
        Some(CopyDetails {
            date: time.to_zoned(TimeZone::UTC).date().to_string(),
            url_status: self.url_status(),
        })
    }

    /// Returns the state of the old URL in the words of citation templates: `usurped` for
    /// another owner, `unfit` for a placeholder such as a hosting notice, `deviated` for
    /// other content.
    fn url_status(&self) -> &'static str {
        match self.verdict {
            Verdict::Hijacked => "usurped",
            Verdict::Drifted => "deviated",
            _ if self.code == Some(codes::PLACEHOLDER) => "unfit",
            _ => "dead",
        }
    }

    /// Returns the values of the columns in a table.
    fn column_values(&self) -> ColumnValues {
        let version = || self.version.as_ref().map(|version| version.url.clone());
        match self.cause {
            FixCause::Alias(confidence) => ColumnValues {
                new_url: Some(self.new_url.clone()),
                archive_url: version(),
                confidence: Some(format!("{:.2}", f64::from(confidence.as_percent()) / 100.0)),
            },
            FixCause::ArchivedCopy(_) => {
                ColumnValues { archive_url: Some(self.new_url.clone()), ..ColumnValues::default() }
            }
            FixCause::Redirect | FixCause::NotFound(_) | FixCause::BackToLife => {
                ColumnValues { new_url: Some(self.new_url.clone()), ..ColumnValues::default() }
            }
        }
    }

    /// Returns the edit of a document of this format.
    fn edit(&self, format: DocumentFormat) -> LinkEdit {
        let is_table = matches!(format, DocumentFormat::Csv | DocumentFormat::Tsv);
        LinkEdit {
            location: self.location.location,
            old_url: self.old_url.clone(),
            new_url: self.new_url.clone(),
            style: match self.style {
                // In a citation template, the archived copy has parameters of its own.
                FixStyle::Replace if format == DocumentFormat::Wikitext => {
                    self.copy_details().map_or(EditStyle::Replace, EditStyle::ReplaceByCopy)
                }
                FixStyle::Replace if self.keeps_attributes => {
                    EditStyle::ReplaceAndKeep(self.version.clone())
                }
                FixStyle::Replace => EditStyle::Replace,
                FixStyle::SecondLink if is_table => EditStyle::Columns(self.column_values()),
                FixStyle::Restore => EditStyle::Restore,
                FixStyle::Unmark => EditStyle::Unmark,
                FixStyle::Annotate => EditStyle::Annotate(self.version.clone().unwrap_or_default()),
                FixStyle::SecondLink => match self.cause {
                    FixCause::NotFound(date) => EditStyle::Mark(dead_link_template(date)),
                    cause => EditStyle::SecondLink {
                        label: cause.label().to_owned(),
                        copy: self.copy_details(),
                    },
                },
            },
        }
    }
}

/// Returns the MediaWiki template that marks a dead link. By convention, its date has no
/// day.
fn dead_link_template(date: Date) -> String {
    format!("{{{{dead link|date={}|bot=Relink}}}}", date.strftime("%B %Y"))
}
