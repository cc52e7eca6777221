//! Loads TLS client certificates and their keys.

use std::fmt;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use thiserror::Error;

/// A client certificate with its chain and private key. `Debug` prints neither.
#[derive(Clone)]
pub struct ClientIdentity {
    parts: Arc<ChainAndKey>,
}

/// The certificate chain and the private key.
struct ChainAndKey {
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
}

/// Invalid client certificate. The key is not shown.
#[derive(Debug, Clone, Copy, Error, PartialEq, Eq)]
pub enum ParseIdentityError {
    /// The text contains no certificate.
    #[error("no PEM certificate found")]
    NoCertificate,
    /// The text contains no private key.
    #[error("no unencrypted PEM private key found")]
    NoKey,
}

impl ClientIdentity {
    /// Parses a certificate chain, the client's certificate first, and its
    /// private key. Both may be in the same text.
    pub fn from_pem(chain: &[u8], key: &[u8]) -> Result<Self, ParseIdentityError> {
        let chain = CertificateDer::pem_slice_iter(chain).collect::<Result<Vec<_>, _>>();
        let chain = chain.ok().filter(|chain| !chain.is_empty());
        let chain = chain.ok_or(ParseIdentityError::NoCertificate)?;
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| ParseIdentityError::NoKey)?;
        Ok(Self { parts: Arc::new(ChainAndKey { chain, key }) })
    }

    /// Returns the certificates, the client's first.
    pub(crate) fn chain(&self) -> Vec<CertificateDer<'static>> {
        self.parts.chain.clone()
    }

    /// Returns the private key.
    pub(crate) fn key(&self) -> PrivateKeyDer<'static> {
        self.parts.key.clone_key()
    }
}

impl fmt::Debug for ClientIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClientIdentity")
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair};

    use super::*;

    #[test]
    fn from_pem_requires_certificate_and_key() {
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new([]).unwrap().self_signed(&key).unwrap();
        let (certificate, key) = (certificate.pem(), key.serialize_pem());
        let parse = |chain: &str, key: &str| {
            ClientIdentity::from_pem(chain.as_bytes(), key.as_bytes())
                .map(|identity| format!("{identity:?}"))
        };
        assert_eq!(parse(&certificate, &key), Ok("ClientIdentity".into()));
        let both = format!("{key}{certificate}");
        assert!(parse(&both, &both).is_ok());
        assert_eq!(parse(&key, &key), Err(ParseIdentityError::NoCertificate));
        assert_eq!(parse(&certificate, &certificate), Err(ParseIdentityError::NoKey));
        assert_eq!(parse("", ""), Err(ParseIdentityError::NoCertificate));
    }
}
