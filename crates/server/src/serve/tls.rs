//! Encryption, by rustls.

use crate::serve::undone;
use axum_server::tls_rustls::RustlsConfig;
use runcast_commands::Failure;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::path::Path;
use std::sync::Arc;

/// What encryption needs, and the names that the certificate is for.
pub struct Tls {
    /// For the server.
    pub config: RustlsConfig,
    /// The names, in lower case.
    pub names: Vec<String>,
}

/// Reads certificate and key.
///
/// # Errors
/// They cannot be read, or do not belong together.
pub fn read(cert: &Path, key: &Path) -> Result<Tls, Failure> {
    let bytes = |path: &Path| std::fs::read(path).map_err(|error| Failure::reading(path, &error));
    let wrong = |path: &Path, text: String| {
        Failure::input(runcast_core::Problem::new("tls", text).in_file(path.display().to_string()))
    };
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&bytes(cert)?).collect();
    let chain = chain.map_err(|error| wrong(cert, format!("no certificate in PEM: {error}")))?;
    let Some(first) = chain.first().cloned() else {
        return Err(wrong(cert, "no certificate in PEM".to_owned()));
    };
    let key_der = PrivateKeyDer::from_pem_slice(&bytes(key)?);
    let key_der = key_der.map_err(|error| wrong(key, format!("no private key in PEM: {error}")))?;
    let config = rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| undone("tls", error.to_string()))?
        .with_no_client_auth()
        .with_single_cert(chain, key_der);
    let mut config = config.map_err(|error| wrong(cert, format!("certificate and key do not do: {error}")))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let names = webpki::EndEntityCert::try_from(&first)
        .map(|cert| cert.valid_dns_names().map(str::to_ascii_lowercase).collect())
        .unwrap_or_default();
    Ok(Tls { config: RustlsConfig::from_config(Arc::new(config)), names })
}
