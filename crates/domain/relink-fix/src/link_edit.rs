//! Requested edits of links, and their results.

use std::fmt;

use relink_model::SourceLocation;

use crate::edit::Edit;
use crate::robust_link::PageVersion;
use crate::table_columns::ColumnValues;

/// The requested edit of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkEdit {
    /// The location of the link.
    pub location: SourceLocation,
    /// The canonical URL of the link, without a fragment.
    pub old_url: String,
    /// The new URL. If it has no fragment, the fragment of the link is appended.
    pub new_url: String,
    /// The form in which the new URL is written.
    pub style: EditStyle,
}

/// The form in which a new URL is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditStyle {
    /// Replaces the old URL.
    Replace,
    /// Replaces the old URL. If the syntax of the link has attributes, an attribute retains the
    /// old URL.
    ReplaceAndKeep(Option<PageVersion>),
    /// Replaces the old URL by an archived copy. In a citation template, writes the parameters of
    /// the copy instead.
    ReplaceByCopy(CopyDetails),
    /// Adds a second link after the old link.
    SecondLink {
        /// The text of the second link.
        label: String,
        /// The data of the archived copy, or `None` if the new URL is not an archived copy.
        copy: Option<CopyDetails>,
    },
    /// Writes values into columns of a table. The new URL of the edit is not used.
    Columns(ColumnValues),
    /// Adds the attributes of a robust link, which retains its URL. The new URL of the edit is
    /// not used.
    Annotate(PageVersion),
    /// Replaces an archived copy by the URL of the page, because the page works again.
    Restore,
    /// Removes the mark of a bot after the link, because the page works again. The new URL of
    /// the edit is not used.
    Unmark,
    /// Adds this mark after the link, such as a template, and no new URL.
    Mark(String),
}

impl EditStyle {
    /// Whether the new URL is written instead of the old URL.
    pub(crate) fn is_replacement(&self) -> bool {
        matches!(self, Self::Replace | Self::ReplaceAndKeep(_) | Self::ReplaceByCopy(_))
    }
}

/// The data of an archived copy for citation templates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyDetails {
    /// The date of the capture, such as `2021-03-02`.
    pub date: String,
    /// The state of the original URL, as in the parameter `url-status` of
    /// MediaWiki templates: `dead`, `usurped`, `unfit` or `deviated`.
    pub url_status: &'static str,
}

/// A document with replaced links.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RewrittenDocument {
    /// The new document.
    pub bytes: Vec<u8>,
    /// The edits of the old document, by position.
    pub edits: Vec<Edit>,
    /// The location of the link of each edit, in the order of `edits`.
    pub edited_links: Vec<SourceLocation>,
    /// Requested edits that were not made.
    pub refused: Vec<RefusedEdit>,
}

/// A requested edit that was not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefusedEdit {
    /// The location of the link.
    pub location: SourceLocation,
    /// The reason.
    pub reason: Refusal,
}

/// The reason why an edit was not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The document no longer has this link at this location.
    Changed,
    /// The destination is not an absolute URL.
    NotAbsolute,
    /// The destination contains a line break.
    LineBreak,
    /// The new URL cannot be written in this construct.
    NotRepresentable,
    /// The construct or format has no place for the addition: a second link, a parameter,
    /// an attribute or a mark.
    NoRoom,
    /// The addition is already there.
    AlreadyPresent,
    /// The link is in a table whose columns have a fixed width.
    FixedWidth,
    /// The link is in a heading, whose text is its anchor.
    Heading,
    /// Another link in the row of the table has already used the columns for its new URL.
    SecondInRow,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Changed => "the document has changed since it was checked",
            Self::NotAbsolute => "the destination is not an absolute URL",
            Self::LineBreak => "the destination contains a line break",
            Self::NotRepresentable => "the new URL cannot be written in this syntax",
            Self::NoRoom => {
                "a second link cannot be written here; use `--style replace` to replace the URL"
            }
            Self::FixedWidth => "the columns of this table have a fixed width",
            Self::Heading => {
                "a second link would change the anchor of the heading; use `--style replace`"
            }
            Self::SecondInRow => "the row has another dead link, and the columns hold one new URL",
            Self::AlreadyPresent => "the new URL is already linked next to it",
        })
    }
}
