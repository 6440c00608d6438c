//! Contents of frozen files: jobs of a batch read the same ones again and again.

use runcast_store::{Database, Digest, StoreError, blobs};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that are kept.
const MOST_BYTES: usize = 64 << 20;

/// Contents by their digests; they never change.
#[derive(Debug, Default)]
pub struct Contents {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    by_digest: HashMap<Digest, Arc<[u8]>>,
    bytes: usize,
}

impl Contents {
    /// The bytes of a digest.
    ///
    /// # Errors
    /// The database is away, or does not have them.
    pub async fn get(&self, db: &Database, digest: &Digest) -> Result<Arc<[u8]>, StoreError> {
        if let Some(bytes) = self.lock().by_digest.get(digest) {
            return Ok(Arc::clone(bytes));
        }
        let bytes: Arc<[u8]> = blobs::get(db, digest).await?.into();
        let mut kept = self.lock();
        if kept.bytes + bytes.len() > MOST_BYTES {
            *kept = Kept::default();
        }
        if bytes.len() <= MOST_BYTES && kept.by_digest.insert(digest.clone(), Arc::clone(&bytes)).is_none() {
            kept.bytes += bytes.len();
        }
        Ok(bytes)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
