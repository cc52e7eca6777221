//! Arguments of `relink serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use url::Url;

/// Arguments of `relink serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Publish the harvested records over OAI-PMH at `/oai`, without access
    /// control; hidden records appear as deleted
    #[arg(long, required = true)]
    pub oai: bool,
    /// Address to listen on; port 0 selects a free port
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:7777")]
    pub listen: SocketAddr,
    /// Public URL of the interface [default: the address with `/oai`]
    #[arg(long, value_name = "URL")]
    pub base_url: Option<Url>,
    /// Mail address of the administrator
    #[arg(long, value_name = "ADDRESS", default_value = "admin@example.org")]
    pub admin_email: String,
    /// Database file [default: one per project in your data directory]
    #[arg(long, value_name = "FILE", env = "RELINK_DB", hide_env_values = true)]
    pub db: Option<PathBuf>,
}
