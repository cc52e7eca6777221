//! Properties of all URLs and texts: passwords are masked, and control characters
//! are replaced.

use proptest::prelude::*;
use relink_report::decay::masked_url;
use relink_report::human::problem;
use relink_report::{printable, redact, redact_prose};
use relink_testkit::any_url::{any_segment, any_text};

proptest! {
    #[test]
    fn redact_of_masked_text_changes_nothing(text in any_text()) {
        let masked = redact(&text).into_owned();
        prop_assert_eq!(&*redact(&masked), masked.as_str());
        let prose = redact_prose(&text).into_owned();
        prop_assert_eq!(&*redact_prose(&prose), prose.as_str());
        prop_assert_eq!(masked_url(&text), masked);
    }

    #[test]
    fn redact_any_rest_hides_the_password(rest in any_segment(), prose in any_text()) {
        let url = format!("https://ann:hunter2@a.test/{rest}");
        prop_assert!(!redact(&url).contains("hunter2"));
        let sentence = format!("cannot fetch {url} ");
        prop_assert!(!redact_prose(&sentence).contains("hunter2"));
        // After arbitrary text, only the absence of a panic is checked.
        redact_prose(&format!("{prose} {url}"));
    }

    #[test]
    fn printable_any_text_has_no_control_characters(text in any_text()) {
        prop_assert!(!printable(&text).chars().any(char::is_control));
        prop_assert!(!problem(&text, Some(1), &text).chars().any(|char| char.is_control() && char != '\n'));
    }
}
