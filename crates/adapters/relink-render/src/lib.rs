//! What stands in a page after its scripts ran? Headless Chromium, kept in
//! bounds.
//!
//! [`Chromium`] implements [`relink_ports::Render`]. It loads a page as a
//! reader's browser would, waits until the page rests, and hands over the
//! document. It finds no links and judges nothing.
//!
//! A page is a stranger's program. What holds it:
//!
//! - **Where it may go.** Each page has a context of its own in the browser,
//!   and all that it asks for goes through a proxy of ours (`gate`) that opens
//!   connections only through [`relink_ports::Dial`]: one address policy, here
//!   as everywhere. Ways past a proxy (datagrams, look-ups of names) are off.
//! - **How much it may take.** Its time, requests, traffic, memory and the
//!   length of its document have caps ([`Settings`]). Pictures, films and
//!   fonts are not loaded, downloads and permissions denied, dialogs dismissed
//!   and new windows closed.
//! - **What is left of it.** Nothing: profile and processes end with us, also
//!   where we are killed.
//!
//! The browser's sandbox is on, except where we are root, where it cannot be.

mod browser;
mod byte_budget;
mod cdp;
mod chromium;
mod context;
mod flags;
mod idle;
mod locate_browser;
mod memory;
mod page;
mod page_proxy;
mod profile;
mod running;
mod script;
mod settings;
mod traffic;

pub use chromium::Chromium;
pub use locate_browser::find_browser;
pub use running::end_browsers;
pub use settings::RenderSettings;
