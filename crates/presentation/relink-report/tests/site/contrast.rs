//! Color contrast of the page in light and dark mode (WCAG 2.2, 1.4.3).

use std::collections::HashMap;

use relink_report::site::{SiteReport, html};

/// Minimum contrast of text (WCAG 2.2, level AA).
const MIN_CONTRAST: f64 = 4.5;
/// Background colors.
const BACKGROUNDS: [&str; 3] = ["paper", "card", "edge"];

/// The colors of a theme (red, green and blue), by their names.
type Theme = HashMap<String, [u8; 3]>;

/// Returns the themes of a page, in the order of the style sheet.
fn parse_themes(page: &str) -> Vec<Theme> {
    page.split(":root {").skip(1).map(parse_theme).filter(|theme| !theme.is_empty()).collect()
}

/// Parses the variables of a theme: `--name: #rrggbb`.
fn parse_theme(rules: &str) -> Theme {
    let rules = rules.split('}').next().unwrap_or_default();
    rules.split("--").skip(1).filter_map(parse_color).collect()
}

/// Parses a variable such as `paper: #ffffff;`.
fn parse_color(rule: &str) -> Option<(String, [u8; 3])> {
    let (name, color) = rule.split_once(": #")?;
    let channel = |start: usize| u8::from_str_radix(color.get(start..start + 2)?, 16).ok();
    Some((name.to_owned(), [channel(0)?, channel(2)?, channel(4)?]))
}

/// Returns the relative luminance as defined by WCAG 2.2.
fn luminance(color: [u8; 3]) -> f64 {
    let linear = color.map(|channel| {
        let share = f64::from(channel) / 255.0;
        if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
}

/// Returns the contrast ratio as defined by WCAG 2.2.
fn contrast(left: [u8; 3], right: [u8; 3]) -> f64 {
    let (left, right) = (luminance(left), luminance(right));
    (left.max(right) + 0.05) / (left.min(right) + 0.05)
}

#[test]
fn text_colors_have_sufficient_contrast() {
    let themes = parse_themes(&html(&SiteReport::default()));
    assert_eq!(themes.len(), 2, "light and dark");
    for theme in themes {
        assert_eq!(theme.len(), 15);
        for (name, color) in theme.iter().filter(|(name, _)| !BACKGROUNDS.contains(&name.as_str()))
        {
            for background in ["paper", "card"] {
                let contrast = contrast(*color, theme[background]);
                assert!(contrast >= MIN_CONTRAST, "{name} on {background}: {contrast:.2}");
            }
        }
    }
}

#[test]
fn contrast_of_black_on_white_is_21() {
    assert!((contrast([0; 3], [255; 3]) - 21.0).abs() < 1e-9);
}
