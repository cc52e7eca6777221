//! Decides whether a value of the query selects the page, although the page is the same without
//! the parameter: then known pages with other values are other pages.

use relink_model::ControlKind;

use super::{ContentAssessor, ControlResponse, RuleResult};
use crate::control_url::is_identifier;
use crate::linked_value::{is_other_linked_page, other_value_link};
use crate::page::PageView;
use crate::page_similarity::{SAME_TEXT, text_resemblance};
use crate::redirect_similarity::{has_other_value, is_other_page};
use crate::url_parts::Parameter;

/// Minimum difference of two resemblances to the page: that of the response to a random
/// value, minus that of a neighbor. A larger difference shows that the neighbor is another
/// page.
const OTHER_VALUE_MARGIN: f64 = 0.1;

impl ContentAssessor<'_> {
    /// Whether pages with other values of the parameter are other pages, so that the value
    /// selects the page. Such pages are neighbors, and a page to which this page links.
    ///
    /// `resemblance` is that of the page and the response to a random value.
    pub(super) fn is_selected_by_value(
        &self,
        parameter: Parameter<'_>,
        resemblance: f64,
    ) -> RuleResult<bool> {
        if self.page.is_redirected() {
            return Ok(false);
        }
        if self.is_unlinked_value(parameter)? {
            return Ok(true);
        }
        if !self.may_identify(parameter) {
            return Ok(false);
        }
        Ok(self.is_other_value(ControlKind::Neighbor, parameter, resemblance)?
            || self.is_other_value(ControlKind::SecondNeighbor, parameter, resemblance)?)
    }

    /// Whether the page links to another value of the parameter, but not to its own, and the
    /// linked page is another one. A page whose title contains its value is the requested one,
    /// which may be the default page.
    fn is_unlinked_value(&self, parameter: Parameter<'_>) -> RuleResult<bool> {
        if other_value_link(&self.page, parameter).is_none() || self.repeats_value(parameter) {
            return Ok(false);
        }
        Ok(match self.control_response(ControlKind::LinkedQueryValue)? {
            ControlResponse::Page(linked) => {
                has_other_value(parameter, self.page.url, linked.url)
                    && is_other_linked_page(&self.page, &linked, parameter)
            }
            _ => false,
        })
    }

    /// Whether a value may identify a page. A list may ignore values that it does not know and
    /// show all entries. A long page therefore counts only if the value is a number or is
    /// repeated in the title, or if the name of the parameter says that it identifies
    /// something. The numbers 0 and 1 do not count, because they select the first page of a
    /// list.
    fn may_identify(&self, parameter: Parameter<'_>) -> bool {
        match parameter.value.parse::<u64>() {
            Ok(number) => number > 1,
            Err(_) => {
                is_identifier(&parameter) || self.page.is_brief() || self.repeats_value(parameter)
            }
        }
    }

    /// Whether a control has another value of the parameter and is another page.
    fn is_other_value(
        &self,
        kind: ControlKind,
        parameter: Parameter<'_>,
        resemblance: f64,
    ) -> RuleResult<bool> {
        let ControlResponse::Page(other) = self.control_response(kind)? else { return Ok(false) };
        Ok(has_other_value(parameter, self.page.url, other.url)
            && (is_other_page(&self.page, &other) || self.is_less_similar(&other, resemblance)))
    }

    /// Whether the page has the text of the response to a random value, and the text of another
    /// page is clearly less similar. Equal titles are not evidence against it, because words
    /// of the URL are ignored when titles are compared.
    fn is_less_similar(&self, other: &PageView<'_>, resemblance: f64) -> bool {
        resemblance >= SAME_TEXT
            && text_resemblance(&self.page, other) < resemblance - OTHER_VALUE_MARGIN
    }
}
