//! Bodies that trickle in: a client that sends too slowly is cut off (408), so that it does not hold a connection for nothing.

use crate::problem::ApiError;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::extract::rejection::BytesRejection;
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::Response;
use http_body::{Body as _, Frame, SizeHint};
use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, Sleep};

/// The longest pause within a body.
const PAUSE: Duration = Duration::from_secs(10);
/// The time that every body has.
const GRACE: Duration = Duration::from_secs(20);
/// Beyond that it must come at this rate, in bytes per second.
const RATE: u64 = 10_000;

/// A body came in too slowly.
#[derive(Debug)]
struct TooSlow;

impl fmt::Display for TooSlow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the body came in too slowly")
    }
}

impl Error for TooSlow {}

/// Watches the bodies of requests.
pub async fn layer(request: Request, next: Next) -> Response {
    let watched = request.map(|body| if body.is_end_stream() { body } else { Body::new(Watched::new(body)) });
    next.run(watched).await
}

struct Watched {
    body: Body,
    begun: Instant,
    received: u64,
    timer: Pin<Box<Sleep>>,
}

impl Watched {
    fn new(body: Body) -> Self {
        let begun = Instant::now();
        Watched { body, begun, received: 0, timer: Box::pin(tokio::time::sleep_until(begun + PAUSE)) }
    }

    /// When the next piece must be there.
    fn deadline(&self) -> Instant {
        let whole = self.begun + GRACE + Duration::from_secs(self.received / RATE);
        whole.min(Instant::now() + PAUSE)
    }
}

impl http_body::Body for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        match Pin::new(&mut self.body).poll_frame(context) {
            Poll::Ready(Some(Ok(frame))) => {
                self.received += frame.data_ref().map_or(0, |data| data.len() as u64);
                let deadline = self.deadline();
                if deadline <= Instant::now() {
                    return Poll::Ready(Some(Err(axum::Error::new(TooSlow))));
                }
                self.timer.as_mut().reset(deadline);
                Poll::Ready(Some(Ok(frame)))
            }
            Poll::Pending => self.timer.as_mut().poll(context).map(|()| Some(Err(axum::Error::new(TooSlow)))),
            other => other,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Why a body could not be read: too slow (408), or it broke off (400).
pub fn refusal(rejection: &BytesRejection) -> ApiError {
    let mut cause: Option<&(dyn Error + 'static)> = Some(rejection);
    while let Some(error) = cause {
        if error.is::<TooSlow>() {
            return ApiError::new(StatusCode::REQUEST_TIMEOUT, "slow_body", TooSlow.to_string());
        }
        cause = error.source();
    }
    ApiError::new(StatusCode::BAD_REQUEST, "body", "the body broke off")
}
