//! How far a page may go.

use std::path::PathBuf;
use std::time::Duration;

/// One mebibyte.
const MIB: u64 = 1024 * 1024;

/// What a [`crate::Chromium`] is told once, at its start.
#[derive(Debug, Clone)]
pub struct RenderSettings {
    /// The browser to start; without one, the system is searched.
    pub browser: Option<PathBuf>,
    /// What we add to the browser's own `User-Agent`, to be honest.
    pub user_agent: String,
    /// The longest a page may work before it is read as it is then.
    pub time: Duration,
    /// The most bytes of HTML handed over.
    pub html_cap: usize,
    /// The most requests a page may make.
    pub request_cap: usize,
    /// The most bytes all servers together may send to a page.
    pub traffic_cap: u64,
    /// How many pages may be open at once.
    pub pages: usize,
    /// The most memory that a page's scripts may fill with values, in bytes.
    pub heap_cap: u64,
    /// The most memory that the process of a page may hold, in bytes. It is
    /// stopped when it holds more; looked at twice a second, on Linux only.
    pub memory_cap: u64,
}

impl Default for RenderSettings {
    fn default() -> Self {
        Self {
            browser: None,
            user_agent: concat!("Relink/", env!("CARGO_PKG_VERSION")).to_owned(),
            time: Duration::from_secs(10),
            html_cap: 4 * 1024 * 1024,
            request_cap: 200,
            traffic_cap: 32 * MIB,
            pages: 2,
            heap_cap: 256 * MIB,
            memory_cap: 768 * MIB,
        }
    }
}

impl RenderSettings {
    /// The heap cap in the unit that the browser takes.
    pub(crate) fn heap_mib(&self) -> u64 {
        (self.heap_cap / MIB).max(1)
    }
}
