//! Renders pages in headless Chromium with resource limits.
//!
//! [`Chromium`] implements [`relink_ports::Render`]. It loads a page with its
//! scripts, waits until the page is idle, and returns the document. It does not
//! extract links or judge pages.
//!
//! A page is an untrusted program. It is restricted as follows:
//!
//! - **Network.** Each page has its own browser context. All its requests go through a loopback
//!   proxy (`page_proxy`) that connects only through [`relink_ports::Dial`], so the same
//!   address policy applies to all requests. Network access without the proxy (UDP, DNS) is
//!   disabled.
//! - **Resources.** Time, requests, traffic, memory and document size are limited
//!   ([`RenderSettings`]). Images, media and fonts are not loaded. Downloads and permissions
//!   are denied, dialogs are dismissed and new windows are closed.
//! - **Cleanup.** The profile and all processes are removed when this process ends, even if it
//!   is killed.
//!
//! The browser's sandbox is enabled unless this process runs as root, where
//! Chromium does not support it.

mod browser;
mod browser_registry;
mod byte_budget;
mod cdp;
mod chromium;
mod context;
mod flags;
mod idle;
mod locate_browser;
mod memory;
mod page;
mod page_events;
mod page_proxy;
mod profile;
mod script;
mod settings;

pub use browser_registry::end_browsers;
pub use chromium::Chromium;
pub use locate_browser::find_browser;
pub use settings::RenderSettings;
