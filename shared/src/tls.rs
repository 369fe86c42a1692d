//! One TLS provider for the whole process.

/// Makes ring the provider that every client here uses. Safe to call often.
pub fn install_provider() {
    // An error means that it is installed already.
    drop(rustls::crypto::ring::default_provider().install_default());
}
