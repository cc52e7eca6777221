//! Installs, starts and stops a product.

use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::product::Product;
use crate::XtaskError;

/// Maximum time to install and start a product.
const MAX_START_TIME: Duration = Duration::from_mins(15);
/// Time between two attempts to connect.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// The processes of a product, which are stopped when this is dropped.
#[derive(Debug)]
pub(super) struct ProductServer {
    child: Child,
}

impl ProductServer {
    /// Starts a product and waits until it accepts connections.
    pub(super) fn start(
        product: &Product,
        cache: &Path,
        shared: &Path,
        port: u16,
    ) -> Result<Self, XtaskError> {
        std::fs::create_dir_all(cache).map_err(|error| XtaskError::io(cache, &error))?;
        let log = cache.join("server.log");
        let file = File::create(&log).map_err(|error| XtaskError::io(&log, &error))?;
        let errors = file.try_clone().map_err(|error| XtaskError::io(&log, &error))?;
        let child = Command::new("bash")
            .arg(&product.start)
            .env("CACHE", cache)
            .env("SHARED", shared)
            .env("PORT", port.to_string())
            .current_dir(cache)
            .stdin(Stdio::null())
            .stdout(file)
            .stderr(errors)
            // Products start further processes, which must end with them.
            .process_group(0)
            .spawn()
            .map_err(|error| XtaskError::new(format!("cannot run bash: {error}")))?;
        let mut server = Self { child };
        server.wait_until_listening(port).map_err(|error| {
            XtaskError::new(format!("{}: {error}", product.name))
                .hint(format!("the output is in {}", log.display()))
        })?;
        Ok(server)
    }

    /// Waits until the product accepts connections.
    fn wait_until_listening(&mut self, port: u16) -> Result<(), String> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let start = Instant::now();
        while start.elapsed() < MAX_START_TIME {
            if TcpStream::connect_timeout(&address, POLL_INTERVAL).is_ok() {
                return Ok(());
            }
            if let Ok(Some(status)) = self.child.try_wait() {
                return Err(format!("ended with {status}"));
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        Err("did not start".to_owned())
    }
}

impl Drop for ProductServer {
    fn drop(&mut self) {
        // Ignore errors: the processes may have ended.
        let group = format!("-{}", self.child.id());
        let _ = Command::new("kill").args(["-TERM", "--", &group]).status();
        let end = Instant::now() + Duration::from_secs(5);
        while Instant::now() < end && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(POLL_INTERVAL);
        }
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
        let _ = self.child.wait();
    }
}
