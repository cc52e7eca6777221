//! A private nginx on a free loopback port.

use std::fmt::Write as _;
use std::io;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::XtaskError;

/// Maximum number of attempts to connect at the start: five seconds in total.
const MAX_ATTEMPTS: u32 = 250;
/// Time between two attempts to connect.
const ATTEMPT_INTERVAL: Duration = Duration::from_millis(20);

/// A running server, stopped when dropped.
#[derive(Debug)]
pub(crate) struct Nginx(Child);

impl Nginx {
    /// Serves `root` on `hosts` loopback addresses: 127.0.0.1, 127.0.0.2 and so on.
    pub(super) fn start(
        scratch: &Path,
        root: &Path,
        hosts: u8,
        port: u16,
    ) -> Result<Self, XtaskError> {
        Self::start_with(scratch, &config(scratch, root, hosts, port), port)
    }

    /// Starts nginx with this configuration, which listens on `port`.
    pub(crate) fn start_with(scratch: &Path, config: &str, port: u16) -> Result<Self, XtaskError> {
        let settings = scratch.join("nginx.conf");
        std::fs::write(&settings, config).map_err(|error| XtaskError::io(&settings, &error))?;
        let child = Command::new("nginx")
            .arg("-p")
            .arg(scratch)
            .arg("-e")
            .arg(scratch.join("nginx.log"))
            .arg("-c")
            .arg(&settings)
            .stdin(Stdio::null())
            .spawn()
            .map_err(|error| start_error(&error))?;
        let mut nginx = Self(child);
        nginx.wait_until_listening(port)?;
        Ok(nginx)
    }

    /// Waits until nginx accepts connections.
    fn wait_until_listening(&mut self, port: u16) -> Result<(), XtaskError> {
        for _ in 0..MAX_ATTEMPTS {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Ok(());
            }
            if let Ok(Some(status)) = self.0.try_wait() {
                return Err(XtaskError::new(format!("nginx ended at once ({status})")));
            }
            sleep(ATTEMPT_INTERVAL);
        }
        Err(XtaskError::new(format!("nginx does not listen on port {port}")))
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // Ignore the error: nginx has already ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns a port that is currently free.
pub(crate) fn free_port() -> Result<u16, XtaskError> {
    TcpListener::bind(("127.0.0.1", 0))
        .and_then(|listener| listener.local_addr())
        .map(|address| address.port())
        .map_err(|error| XtaskError::new(format!("no free port: {error}")))
}

fn start_error(error: &io::Error) -> XtaskError {
    let message = XtaskError::new(format!("cannot start nginx: {error}"));
    match error.kind() {
        io::ErrorKind::NotFound => message.hint("install it, e.g. `apt-get install nginx`"),
        _ => message,
    }
}

/// Returns the configuration. nginx runs as one process of the current user and
/// writes only below the scratch directory. The response header `LinkChecker` makes
/// the program `LinkChecker` send requests without its rate limit.
fn config(scratch: &Path, root: &Path, hosts: u8, port: u16) -> String {
    let (scratch, root) = (scratch.display(), root.display());
    let mut listen = String::new();
    for host in 1..=hosts {
        // Writing to a string cannot fail.
        let _ = writeln!(listen, "    listen 127.0.0.{host}:{port} backlog=4096;");
    }
    let temporary = temporary_paths(&scratch.to_string());
    format!(
        "daemon off;\nmaster_process off;\npid {scratch}/nginx.pid;\n\
         error_log {scratch}/nginx.log crit;\n\
         events {{ worker_connections 8192; }}\n\
         http {{\n  access_log off;\n  keepalive_requests 10000000;\n  default_type text/html;\n\
         {temporary}  server {{\n{listen}    root {root};\n\
         \x20   add_header LinkChecker \"bench\" always;\n  }}\n}}\n"
    )
}

/// Returns the directives for temporary files.
fn temporary_paths(scratch: &str) -> String {
    let mut temporary = String::new();
    for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"] {
        // Writing to a string cannot fail.
        let _ = writeln!(temporary, "  {kind}_temp_path {scratch}/{kind};");
    }
    temporary
}

/// Media types of documentation files.
const MEDIA_TYPES: &str = "types { text/html html htm shtml; text/css css; text/xml xml; \
    text/plain txt; application/javascript js; application/json json; application/pdf pdf; \
    image/gif gif; image/jpeg jpeg jpg; image/png png; image/svg+xml svg; image/x-icon ico; \
    font/woff woff; font/woff2 woff2; }";

/// Returns the configuration that serves the files of a real site.
pub(crate) fn site_config(scratch: &Path, root: &Path, port: u16) -> String {
    let temporary = temporary_paths(&scratch.display().to_string());
    let (scratch, root) = (scratch.display(), root.display());
    format!(
        "daemon off;\nmaster_process off;\npid {scratch}/nginx.pid;\n\
         error_log {scratch}/nginx.log crit;\n\
         events {{ worker_connections 1024; }}\n\
         http {{\n  access_log off;\n  keepalive_requests 10000000;\n  {MEDIA_TYPES}\n\
         \x20 default_type application/octet-stream;\n{temporary}  server {{\n\
         \x20   listen 127.0.0.1:{port};\n    root {root};\n    index index.html;\n\
         \x20   absolute_redirect off;\n  }}\n}}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn config_listens_on_loopback_only() {
        let config = config(Path::new("/s"), Path::new("/s/site"), 2, 8080);
        let listens: Vec<&str> =
            config.lines().filter_map(|line| line.trim().strip_prefix("listen ")).collect();
        assert_eq!(listens, ["127.0.0.1:8080 backlog=4096;", "127.0.0.2:8080 backlog=4096;"]);
    }

    #[test]
    fn config_writes_only_below_its_directory() {
        let config = config(Path::new("/s"), Path::new("/s/site"), 1, 8080);
        for word in ["pid", "error_log", "scgi_temp_path"] {
            assert!(config.contains(&format!("{word} /s/")), "{word}");
        }
    }
}
