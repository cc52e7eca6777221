//! Arguments of `relink serve`.
//!
//! OAI-PMH is a protocol for harvesting metadata records. SPI (Simple Publishing Interface)
//! is a protocol for submitting records.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{ArgGroup, Args};
use jiff::civil::Time;
use url::Url;

use super::RequestArgs;

/// Arguments of `relink serve`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("interface").args(["oai", "spi"]).required(true).multiple(true))]
pub struct ServeArgs {
    /// Publish the harvested records over OAI-PMH at `/oai`, without access
    /// control; hidden records appear as deleted
    #[arg(long)]
    pub oai: bool,
    /// Accept records of providers that were added with `--spi`, at `/spi`; needs
    /// a token in `RELINK_SPI_TOKEN` or `--spi-token-file`
    #[arg(long)]
    pub spi: bool,
    /// File with tokens, one per line: `TOKEN` for all providers, or `PROVIDER
    /// TOKEN`
    #[arg(long, value_name = "FILE", requires = "spi")]
    pub spi_token_file: Option<PathBuf>,
    /// Run `relink harvest run` every day at this time (UTC), such as `02:30`
    #[arg(long, value_name = "HH:MM")]
    pub run_at: Option<Time>,
    /// Address to listen on; port 0 selects a free port
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:7777")]
    pub listen: SocketAddr,
    /// Public URL of the OAI-PMH interface [default: the address with `/oai`]
    #[arg(long, value_name = "URL")]
    pub base_url: Option<Url>,
    /// Mail address of the administrator
    #[arg(long, value_name = "ADDRESS", default_value = "admin@example.org")]
    pub admin_email: String,
    /// Database file [default: one per project in your data directory]
    #[arg(long, value_name = "FILE", env = "RELINK_DB", hide_env_values = true)]
    pub db: Option<PathBuf>,
    /// HTTP options.
    #[command(flatten)]
    pub request: RequestArgs,
}
