//! A secret known only to its holder: the store keeps only its hash.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

/// 32 random bytes in 43 characters of base 64 that may be in an address.
///
/// # Panics
/// If the system gives no random bytes.
#[expect(clippy::expect_used, reason = "without random bytes no token would be safe")]
pub fn fresh() -> String {
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes).expect("the system gives random bytes");
    URL_SAFE_NO_PAD.encode(bytes)
}

/// What the store keeps of a secret. It needs no salt and no slowness: 256 bits cannot be guessed.
pub fn hash(secret: &str) -> Vec<u8> {
    Sha256::digest(secret.as_bytes()).to_vec()
}

/// Whether two secrets are equal, in a time that does not reveal where they differ.
pub fn equal(left: &str, right: &str) -> bool {
    use subtle::ConstantTimeEq as _;
    hash(left).ct_eq(&hash(right)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_new_each_time_and_fits_into_an_address() {
        let (one, other) = (fresh(), fresh());
        assert_ne!(one, other);
        assert_eq!(one.len(), 43);
        assert!(one.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
        assert!(equal(&one, &one.clone()) && !equal(&one, &other));
    }
}
