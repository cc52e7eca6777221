//! Comparison of files: images, scripts, archives. A missing file is often replaced by
//! another one, such as a placeholder image.

use relink_model::{ControlKind, DeadReason};

use super::{ContentAssessor, ControlResponse, Finding, RuleResult};
use crate::control_url::{is_identifier, random_number_varies_name, varied_parameter};
use crate::page::PageView;
use crate::{codes, confidence};

impl ContentAssessor<'_> {
    /// Assesses an image, a script or another file. It is a soft-404 only if a
    /// random name in its directory, or another value of the parameter or number
    /// that selects it, gets the same bytes or the same text.
    pub(super) fn check_file(&self) -> RuleResult<Finding> {
        let alive = self.alive(confidence::ALIVE_RANDOM_NAME_REJECTED, None);
        if self.page.is_home_page() {
            return Ok(alive);
        }
        if let Some(finding) = self.check_file_identifier()? {
            return Ok(finding);
        }
        let ControlResponse::Page(random_page) = self.control_response(ControlKind::RandomName)?
        else {
            return self.alive_finding();
        };
        if self.has_same_bytes(&random_page) {
            return Ok(self.same_file(ControlKind::RandomName));
        }
        let finding = if self.page.digest.text_length > 0 && random_page.digest.text_length > 0 {
            self.compare_with_random_name(&random_page)?
        } else {
            None
        };
        Ok(finding.unwrap_or(alive))
    }

    /// Whether both are files with the same bytes.
    fn has_same_bytes(&self, other: &PageView<'_>) -> bool {
        let own = self.page.digest.fingerprint;
        own.is_some() && other.digest.fingerprint == own
    }

    fn same_file(&self, kind: ControlKind) -> Finding {
        let reason = format!("the server sends the same file for {kind}");
        let dead =
            Finding::dead(DeadReason::Soft404, codes::SOFT_404, reason, confidence::SAME_PAGE);
        dead.with_evidence(self.comparison_evidence(kind, "the same file", Some(1.0)))
    }

    /// Returns a finding if a file has the same bytes as the file of a random identifier.
    fn check_file_identifier(&self) -> RuleResult<Option<Finding>> {
        if self.page.digest.fingerprint.is_none() {
            return Ok(None);
        }
        let url = self.page.url_parts();
        // Servers send most files for any query.
        if let Some(parameter) = varied_parameter(url) {
            return if is_identifier(&parameter) { self.check_file_parameter() } else { Ok(None) };
        }
        let stem = url.extension().map_or_else(|| url.name(), |(stem, _)| stem);
        let is_number = !stem.is_empty() && stem.bytes().all(|byte| byte.is_ascii_digit());
        // The control may vary the number of a directory, and the same file in another
        // directory does not show that the file is missing.
        if !is_number || !random_number_varies_name(url) {
            return Ok(None);
        }
        let kind = ControlKind::RandomPathNumber;
        let other = self.control_response(kind)?;
        Ok(match other {
            ControlResponse::Page(other) if self.has_same_bytes(&other) => {
                Some(self.same_file(kind))
            }
            _ => None,
        })
    }

    /// Compares a file with that of another query value, if the parameter selects the
    /// file.
    fn check_file_parameter(&self) -> RuleResult<Option<Finding>> {
        let kind = ControlKind::RandomQueryValue;
        let ControlResponse::Page(other) = self.control_response(kind)? else { return Ok(None) };
        if !self.has_same_bytes(&other) {
            return Ok(None);
        }
        Ok(match self.control_response(ControlKind::WithoutParameter)? {
            ControlResponse::Page(bare) if self.has_same_bytes(&bare) => None,
            ControlResponse::Page(_) | ControlResponse::Rejected(_) => Some(self.same_file(kind)),
            ControlResponse::Blocked | ControlResponse::Unknown => None,
        })
    }
}
