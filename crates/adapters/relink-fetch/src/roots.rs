//! Loads the certificate authorities of the system. If `SSL_CERT_FILE` or `SSL_CERT_DIR` is set,
//! they are the authorities in these paths, as in OpenSSL. Otherwise, they are the authorities
//! of the platform. They are trusted in addition to the bundled public authorities.

use std::env;
use std::ffi::OsString;

use rustls::RootCertStore;
use thiserror::Error;

/// Environment variables that contain paths of certificate authorities.
const VARIABLES: [&str; 2] = ["SSL_CERT_FILE", "SSL_CERT_DIR"];

/// The environment variables are set, but no certificate was usable.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("no usable certificate in {variables}")]
pub struct SystemRootsError {
    /// The variables that are set.
    variables: String,
    /// The reason for each file.
    reasons: Vec<String>,
}

impl SystemRootsError {
    /// Returns the reason for each file.
    pub fn reasons(&self) -> &[String] {
        &self.reasons
    }
}

/// Returns the certificate authorities of the system, in DER.
///
/// # Errors
///
/// Fails if a variable is set and no certificate could be read. Without these certificates,
/// every page of the user's network would appear broken. If no variable is set, unreadable
/// files are skipped.
pub fn system_roots() -> Result<Vec<Vec<u8>>, SystemRootsError> {
    let is_set = |name: &&str| env::var_os(name).is_some_and(is_filled);
    let set_variables: Vec<&str> = VARIABLES.into_iter().filter(is_set).collect();
    let found = rustls_native_certs::load_native_certs();
    let mut store = RootCertStore::empty();
    // Certificate stores may contain expired certificates.
    let usable = found.certs.into_iter().filter(|der| store.add(der.clone()).is_ok());
    let usable: Vec<Vec<u8>> = usable.map(|der| der.to_vec()).collect();
    if usable.is_empty() && !set_variables.is_empty() {
        let reasons = found.errors.iter().map(ToString::to_string).collect();
        return Err(SystemRootsError { variables: set_variables.join(" and "), reasons });
    }
    Ok(usable)
}

#[expect(clippy::needless_pass_by_value, reason = "passed to is_some_and")]
fn is_filled(value: OsString) -> bool {
    !value.is_empty()
}
