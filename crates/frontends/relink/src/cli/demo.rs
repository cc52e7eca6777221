//! Arguments of `relink demo`.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `relink demo`.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Keep the documents of the demo and the patch of their repairs (`fix.patch`) in this
    /// new directory
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
}
