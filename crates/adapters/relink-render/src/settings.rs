//! Settings of the browser and limits of its pages.

use std::path::PathBuf;
use std::time::Duration;

/// One mebibyte.
const MIB: u64 = 1024 * 1024;

/// Settings of a [`crate::Chromium`].
#[derive(Debug, Clone)]
pub struct RenderSettings {
    /// The browser to start. If `None`, the system is searched.
    pub browser: Option<PathBuf>,
    /// Text to append to the browser's own `User-Agent`.
    pub user_agent: String,
    /// Maximum loading time. After it, the page is read in its current state.
    pub timeout: Duration,
    /// Maximum size of the returned HTML in bytes.
    pub max_html_bytes: usize,
    /// Maximum number of requests of a page.
    pub max_requests: usize,
    /// Maximum number of bytes that all servers together may send to a page.
    pub max_traffic_bytes: u64,
    /// Maximum number of open pages.
    pub max_pages: usize,
    /// Maximum size of a page's JavaScript heap in bytes.
    pub max_heap_bytes: u64,
    /// Maximum memory of a page's process in bytes. The memory is checked twice a second,
    /// and a process that exceeds the limit is killed. Linux only.
    pub max_memory_bytes: u64,
}

impl Default for RenderSettings {
    fn default() -> Self {
        Self {
            browser: None,
            user_agent: concat!("Relink/", env!("CARGO_PKG_VERSION")).to_owned(),
            timeout: Duration::from_secs(10),
            max_html_bytes: 4 * 1024 * 1024,
            max_requests: 200,
            max_traffic_bytes: 32 * MIB,
            max_pages: 2,
            max_heap_bytes: 256 * MIB,
            max_memory_bytes: 768 * MIB,
        }
    }
}

impl RenderSettings {
    /// Returns the heap limit in MiB, the unit of the browser's flag.
    pub(crate) fn heap_mib(&self) -> u64 {
        (self.max_heap_bytes / MIB).max(1)
    }
}
