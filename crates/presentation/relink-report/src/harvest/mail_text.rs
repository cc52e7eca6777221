//! Notices as mail, written by templates that users can replace.
//!
//! A template starts with a `Subject:` line, followed by an empty line and the text. Its
//! variables are `notices` and `total`, the number of records in all notices. Titles and names
//! of providers are not trusted: control characters are removed before a template uses them.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, Value, context};
use thiserror::Error;

use super::Notice;
use crate::{printable, redact};

/// The built-in templates: language and text.
const BUILT_IN_TEMPLATES: [(&str, &str); 4] = [
    ("en", include_str!("templates/mail.en.txt")),
    ("de", include_str!("templates/mail.de.txt")),
    ("fr", include_str!("templates/mail.fr.txt")),
    ("es", include_str!("templates/mail.es.txt")),
];
/// The language that replaces an unknown language.
const DEFAULT_LANGUAGE: &str = "en";

/// A template cannot be used.
#[derive(Debug, Error)]
pub enum TemplateError {
    /// The template has an error.
    #[error("cannot render the mail template for `{language}`")]
    Invalid {
        /// The language.
        language: String,
        /// The cause.
        #[source]
        source: Box<minijinja::Error>,
    },
    /// The first line is not a subject.
    #[error("the mail template for `{language}` does not start with a `Subject:` line")]
    NoSubject {
        /// The language.
        language: String,
    },
}

/// A rendered mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailText {
    /// The subject, in one line.
    pub subject: String,
    /// The text.
    pub text: String,
}

/// The templates of mail.
#[derive(Debug, Clone)]
pub struct MailTemplates {
    /// Language and text of each template.
    templates: Vec<(String, String)>,
}

impl Default for MailTemplates {
    /// The built-in templates.
    fn default() -> Self {
        let templates =
            BUILT_IN_TEMPLATES.map(|(language, text)| (language.to_owned(), text.to_owned()));
        Self { templates: templates.into() }
    }
}

impl MailTemplates {
    /// The languages of the built-in templates.
    pub const LANGUAGES: [&'static str; 4] = ["en", "de", "fr", "es"];

    /// Replaces the template of a language.
    pub fn replace(&mut self, language: &str, template: String) {
        self.templates.retain(|(known, _)| known != language);
        self.templates.push((language.to_owned(), template));
    }

    /// Renders one mail with all notices.
    ///
    /// # Errors
    ///
    /// Fails if the template has an error.
    pub fn render(&self, language: &str, notices: &[Notice]) -> Result<MailText, TemplateError> {
        let language = if self.find(language).is_some() { language } else { DEFAULT_LANGUAGE };
        let template = self.find(language).unwrap_or_default();
        let notices: Vec<Notice> = notices.iter().map(sanitize).collect();
        let total: usize = notices.iter().map(|notice| notice.items.len()).sum();
        let mut environment = Environment::new();
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
        let rendered = syntax.and_then(|syntax| {
            environment.set_syntax(syntax);
            let notices = Value::from(Serde(&notices));
            environment.render_str(template, context! { notices, total })
        });
        let rendered = rendered.map_err(|source| TemplateError::Invalid {
            language: language.to_owned(),
            source: Box::new(source),
        })?;
        parse_mail(&rendered)
            .ok_or_else(|| TemplateError::NoSubject { language: language.to_owned() })
    }

    /// Returns the template of a language.
    fn find(&self, language: &str) -> Option<&str> {
        let mut templates = self.templates.iter();
        templates.find(|(known, _)| known == language).map(|(_, text)| text.as_str())
    }
}

/// Splits a rendered template into subject and text. Returns `None` without a `Subject:` line.
fn parse_mail(rendered: &str) -> Option<MailText> {
    let (first, text) = rendered.trim_start().split_once('\n')?;
    let subject = first.strip_prefix("Subject:")?.trim();
    Some(MailText { subject: one_line(subject), text: text.trim_start_matches('\n').to_owned() })
}

/// Returns the notice without control characters and secrets.
fn sanitize(notice: &Notice) -> Notice {
    let mut notice = notice.clone();
    notice.provider = one_line(&notice.provider);
    for item in &mut notice.items {
        item.record = one_line(&item.record);
        item.title = item.title.as_deref().map(one_line);
        item.url = one_line(&redact(&item.url).to_string());
        item.reason = one_line(&item.reason);
    }
    notice
}

/// Replaces control characters by spaces, so that the subject is one line.
fn one_line(text: &str) -> String {
    let text: String =
        text.chars().map(|char| if char.is_control() { ' ' } else { char }).collect();
    printable(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::super::{NoticeItem, NoticeKind};
    use super::*;

    /// Creates a notice whose texts try to insert mail headers.
    fn notice(kind: NoticeKind) -> Notice {
        Notice {
            provider: "lre\r\nBcc: x@example.org".to_owned(),
            kind,
            day: date(2026, 1, 8),
            time: "2026-01-08 10:00 CET".to_owned(),
            deadline: Some(date(2026, 1, 31)),
            contacts: vec!["repo@example.org".to_owned()],
            items: vec![NoticeItem {
                record: "oai:1".to_owned(),
                title: Some("T\r\nX-Evil: 1".to_owned()),
                url: "http://a.test/1".to_owned(),
                reason: "404".to_owned(),
                host: None,
                since: date(2026, 1, 1),
            }],
        }
    }

    #[test]
    fn all_languages_render_all_kinds_without_header_injection() {
        let kinds = [
            NoticeKind::Reported,
            NoticeKind::Escalated,
            NoticeKind::Draft,
            NoticeKind::Filtered,
            NoticeKind::Hidden,
            NoticeKind::LeftOut,
            NoticeKind::Restored,
            NoticeKind::Repaired,
        ];
        let mut texts = std::collections::HashSet::new();
        for language in MailTemplates::LANGUAGES {
            for kind in kinds {
                let mail = MailTemplates::default().render(language, &[notice(kind)]).unwrap();
                assert!(texts.insert(mail.text.clone()), "{language} {kind:?}: same text");
                assert!(!mail.subject.contains(['\r', '\n']), "{mail:?}");
                assert!(mail.text.contains("http://a.test/1"), "{mail:?}");
                assert!(
                    !mail.text.contains("\nX-Evil") && !mail.text.contains("\nBcc"),
                    "{mail:?}"
                );
                if matches!(kind, NoticeKind::Draft | NoticeKind::Escalated) {
                    assert!(mail.text.contains("2026-01-31"), "{mail:?}");
                }
            }
        }
    }

    #[test]
    fn subject_counts_links_and_names_the_first_provider() {
        let notice_of = |provider: &str| Notice {
            provider: provider.to_owned(),
            ..notice(NoticeKind::Reported)
        };
        let subject = |language: &str, notices: &[Notice]| {
            MailTemplates::default().render(language, notices).unwrap().subject
        };
        let one = [notice_of("a")];
        let of_one_provider = [notice_of("a"), notice_of("a")];
        let of_two_providers = [notice_of("a"), notice_of("b")];
        assert_eq!(subject("en", &one), "1 link in the records of a");
        assert_eq!(subject("en", &of_two_providers), "2 links in the records of a and others");
        assert_eq!(subject("de", &of_one_provider), "2 Links in den Datensätzen von a");
        assert_eq!(subject("fr", &one), "1 lien dans les notices de a");
        assert_eq!(subject("es", &one), "1 enlace en los registros de a");
    }

    #[test]
    fn replace_accepts_templates_and_render_rejects_invalid_ones() {
        let mut templates = MailTemplates::default();
        templates.replace("en", "Subject: {{ total }} links\n\n{{ notices[0].day }}".to_owned());
        // Mail in the unknown language `xx` is in English.
        let mail = templates.render("xx", &[notice(NoticeKind::Hidden)]).unwrap();
        assert_eq!((mail.subject.as_str(), mail.text.as_str()), ("1 links", "2026-01-08"));
        templates.replace("en", "no subject\n".to_owned());
        let error = templates.render("en", &[]).unwrap_err();
        assert!(error.to_string().contains("Subject"), "{error}");
        templates.replace("en", "{% for %}".to_owned());
        assert!(templates.render("en", &[]).is_err());
    }
}
