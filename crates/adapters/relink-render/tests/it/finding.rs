//! Which browser is started.

use std::path::PathBuf;

use relink_ports::RenderError;
use relink_render::RenderSettings;
use url::Url;

use crate::{browser_with, named};

#[tokio::test]
async fn a_missing_browser_is_a_fault_with_a_hint() {
    let browser = Some(PathBuf::from("/nowhere/chromium"));
    let missing = browser_with(RenderSettings { browser, ..RenderSettings::default() });
    let error = named(&missing, Url::parse("http://a.test/").unwrap()).await.unwrap_err();
    assert_eq!(error.to_string(), "no browser was found at `/nowhere/chromium`");
    assert!(error.hint().unwrap().contains("apt install chromium"));
}

#[tokio::test]
async fn a_program_that_is_no_browser_does_not_start() {
    let browser = Some(PathBuf::from("/bin/false"));
    let wrong = browser_with(RenderSettings { browser, ..RenderSettings::default() });
    let error = named(&wrong, Url::parse("http://a.test/").unwrap()).await.unwrap_err();
    assert!(matches!(error, RenderError::LaunchFailed { .. }), "{error}");
}
