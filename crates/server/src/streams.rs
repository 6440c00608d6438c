//! Streams of events that are open: a user has a few, a server has so many that it stays small.

use crate::problem::ApiError;
use axum::http::{StatusCode, header};
use runcast_store::Id;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio_util::sync::CancellationToken;

/// Streams of a user; the oldest ends for one more.
const MOST_OF_USER: usize = 8;
/// Streams of a server.
const MOST: usize = 256;

/// Open streams, the oldest first.
#[derive(Debug, Clone, Default)]
pub struct Streams {
    open: Arc<Mutex<VecDeque<(Id, CancellationToken)>>>,
}

/// The place of an open stream; it is free again when this is dropped.
#[derive(Debug)]
pub struct Place {
    streams: Streams,
    over: CancellationToken,
}

impl Streams {
    /// A place for one more stream of a user.
    ///
    /// # Errors
    /// 503: the server has no more.
    pub fn place(&self, user: &Id) -> Result<Place, ApiError> {
        let mut open = self.lock();
        let own: Vec<usize> = (0..open.len()).filter(|&index| open[index].0 == *user).collect();
        if own.len() >= MOST_OF_USER
            && let Some((_, oldest)) = own.first().and_then(|&index| open.remove(index))
        {
            oldest.cancel();
        }
        if open.len() >= MOST {
            let error = ApiError::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "too_many_streams",
                "no more streams of events are open at once",
            );
            return Err(error.header(header::RETRY_AFTER, "30"));
        }
        let over = CancellationToken::new();
        open.push_back((user.clone(), over.clone()));
        Ok(Place { streams: self.clone(), over })
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(Id, CancellationToken)>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Cancelled when the place is taken for a newer stream.
    pub fn over(&self) -> &CancellationToken {
        &self.over
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // So that it is known among the others, which are not cancelled.
        self.over.cancel();
        self.streams.lock().retain(|(_, over)| !over.is_cancelled());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_stream_of_a_user_ends_for_a_ninth() {
        let (streams, user, other) = (Streams::default(), Id::new(), Id::new());
        let first_of_other = streams.place(&other).expect("a place");
        let places: Vec<Place> = (0..9).map(|_| streams.place(&user).expect("a place")).collect();
        let over: Vec<bool> = places.iter().map(|place| place.over().is_cancelled()).collect();
        assert_eq!(over, [true, false, false, false, false, false, false, false, false]);
        assert!(!first_of_other.over().is_cancelled());
        drop(places);
        assert_eq!(streams.lock().len(), 1);
    }

    #[test]
    fn a_server_has_so_many_streams_and_no_more() {
        let streams = Streams::default();
        let mut places: Vec<Place> = (0..MOST).map(|_| streams.place(&Id::new()).expect("a place")).collect();
        assert_eq!(streams.place(&Id::new()).expect_err("full").status, StatusCode::SERVICE_UNAVAILABLE);
        places.pop();
        assert!(streams.place(&Id::new()).is_ok());
    }
}
