//! Tests of the selection of the browser executable.

use std::path::PathBuf;

use relink_ports::RenderError;
use relink_render::RenderSettings;
use url::Url;

use crate::{browser_with, render_user_supplied};

#[tokio::test]
async fn missing_browser_is_an_error_with_hint() {
    let browser = Some(PathBuf::from("/nowhere/chromium"));
    let missing = browser_with(RenderSettings { browser, ..RenderSettings::default() });
    let error =
        render_user_supplied(&missing, Url::parse("http://a.test/").unwrap()).await.unwrap_err();
    assert_eq!(error.to_string(), "browser not found at `/nowhere/chromium`");
    assert!(error.hint().unwrap().contains("apt install chromium"));
}

#[tokio::test]
async fn other_program_is_a_launch_error() {
    let browser = Some(PathBuf::from("/bin/false"));
    let wrong = browser_with(RenderSettings { browser, ..RenderSettings::default() });
    let error =
        render_user_supplied(&wrong, Url::parse("http://a.test/").unwrap()).await.unwrap_err();
    assert!(matches!(error, RenderError::LaunchFailed { .. }), "{error}");
}
