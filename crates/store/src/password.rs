//! Passwords, hashed by argon2id.

use crate::error::StoreError;
use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Params, PasswordHasher, PasswordVerifier, Version};

/// Memory of one hash, in KiB.
const MEMORY_KIB: u32 = 19_456;
/// Passes over it.
const PASSES: u32 = 2;
/// Fewest bytes of a password.
pub const LEAST_BYTES: usize = 10;
/// Most bytes of a password: more would be work for the server only.
pub const MOST_BYTES: usize = 1024;

/// Whether it has an allowed length.
pub fn is_allowed(password: &str) -> bool {
    (LEAST_BYTES..=MOST_BYTES).contains(&password.len())
}

/// The hash of a password as a PHC string. It takes about 20 ms and 19 MiB: not on a thread that answers requests.
///
/// # Errors
/// There is no memory for it, or no random bytes.
pub fn hash(password: &str) -> Result<String, StoreError> {
    let hash = hasher()?.hash_password(password.as_bytes());
    hash.map(|hash| hash.to_string()).map_err(|error| StoreError::Database(format!("argon2: {error}")))
}

/// Whether a password belongs to a hash; takes as long as [`hash`]. Without a hash (there is no such user) it takes
/// the same time and says no.
pub fn is_right(password: &str, hash: Option<&str>) -> bool {
    let Ok(hasher) = hasher() else { return false };
    let stored = hash.unwrap_or(NOBODYS);
    let Ok(stored) = PasswordHash::new(stored) else { return false };
    let is_equal = hasher.verify_password(password.as_bytes(), &stored).is_ok();
    is_equal && hash.is_some()
}

/// A hash of the same cost that no password is known for.
const NOBODYS: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$RdescudvJCsgt3ub+b4dWRWJTmaQmvO8i0xHkzJEhSY";

fn hasher() -> Result<Argon2<'static>, StoreError> {
    let params = Params::new(MEMORY_KIB, PASSES, 1, None);
    let params = params.map_err(|error| StoreError::Database(format!("argon2: {error}")))?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_names_argon2id_and_its_cost() {
        let made = hash("correct horse").expect("memory");
        assert!(made.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{made}");
        assert!(is_right("correct horse", Some(&made)));
        assert!(!is_right("correct horsf", Some(&made)));
        assert_ne!(made, hash("correct horse").expect("memory"), "each has its own salt");
    }

    #[test]
    fn an_unknown_user_costs_as_much_work() {
        let nobody = PasswordHash::new(NOBODYS).expect("a PHC string");
        assert_eq!(nobody.params.get_decimal("m"), Some(MEMORY_KIB));
        assert_eq!(nobody.params.get_decimal("t"), Some(PASSES));
        assert!(!is_right("anything at all", None));
    }
}
