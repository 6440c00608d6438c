//! Ids that sort by the time they were made at.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

/// 26 characters of Crockford's base 32: 48 bits of milliseconds since 1970, then 80 random bits.
///
/// Those made by one process rise strictly, also within a millisecond and when the clock is set back.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Id(String);

const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

static LAST: Mutex<u128> = Mutex::new(0);

impl Id {
    /// A new id.
    ///
    /// # Panics
    /// If the system gives no random bytes.
    #[expect(clippy::expect_used, reason = "without random bytes no token would be safe either")]
    pub fn new() -> Self {
        let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut random = [0u8; 16];
        getrandom::fill(&mut random[6..]).expect("the system gives random bytes");
        let fresh = (elapsed.as_millis() << 80) | u128::from_be_bytes(random);
        let mut last = LAST.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *last = if fresh >> 80 > *last >> 80 { fresh } else { *last + 1 };
        Id::of_number(*last)
    }

    /// Reads one; `None` unless it is of the right length and letters.
    pub fn parse(text: &str) -> Option<Self> {
        let is_id = text.len() == 26 && text.bytes().all(|byte| DIGITS.contains(&byte));
        is_id.then(|| Id(text.to_owned()))
    }

    /// An id that is in the database.
    pub(crate) fn from_stored(text: String) -> Self {
        Id(text)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn of_number(number: u128) -> Self {
        let digit = |place: u32| char::from(DIGITS[((number >> (5 * place)) & 31) as usize]);
        Id((0..26).rev().map(digit).collect())
    }
}

impl Default for Id {
    fn default() -> Self {
        Id::new()
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_rise_and_can_be_read_back() {
        let ids: Vec<Id> = (0..1000).map(|_| Id::new()).collect();
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(ids.iter().all(|id| Id::parse(id.as_str()).as_ref() == Some(id)));
        assert_eq!(Id::parse("short"), None);
        assert_eq!(Id::parse("../../../../../../../../etc"), None);
    }
}
