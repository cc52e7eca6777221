//! Certificate authorities of the system: those of `SSL_CERT_FILE` and
//! `SSL_CERT_DIR` if one of them is set, as OpenSSL has it, else those of the
//! platform. They are trusted in addition to the bundled public ones.

use std::env;
use std::ffi::OsString;

use rustls::RootCertStore;
use thiserror::Error;

/// The variables that name certificate authorities.
const VARIABLES: [&str; 2] = ["SSL_CERT_FILE", "SSL_CERT_DIR"];

/// The variables that are set name nothing that can be used.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("{variables} names no certificate that can be used")]
pub struct SystemRootsError {
    /// The variables that are set.
    variables: String,
    /// What went wrong, file by file.
    reasons: Vec<String>,
}

impl SystemRootsError {
    /// What went wrong, file by file.
    pub fn reasons(&self) -> &[String] {
        &self.reasons
    }
}

/// The certificate authorities of the system, in DER.
///
/// # Errors
///
/// Fails if a variable is set and no certificate could be read: what the user
/// asks for is then not trusted, and every page of the user's network would
/// look broken. Without the variables, what cannot be read is left out.
pub fn system_roots() -> Result<Vec<Vec<u8>>, SystemRootsError> {
    let set = VARIABLES.into_iter().filter(|name| env::var_os(name).is_some_and(is_filled));
    let set: Vec<&str> = set.collect();
    let found = rustls_native_certs::load_native_certs();
    let mut store = RootCertStore::empty();
    // Old stores hold certificates that are not valid any more.
    let usable = found.certs.into_iter().filter(|der| store.add(der.clone()).is_ok());
    let usable: Vec<Vec<u8>> = usable.map(|der| der.to_vec()).collect();
    if usable.is_empty() && !set.is_empty() {
        let reasons = found.errors.iter().map(ToString::to_string).collect();
        return Err(SystemRootsError { variables: set.join(" and "), reasons });
    }
    Ok(usable)
}

#[expect(clippy::needless_pass_by_value, reason = "it stands in is_some_and")]
fn is_filled(value: OsString) -> bool {
    !value.is_empty()
}
