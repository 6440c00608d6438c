//! Events: what happens in a project, as it happens, and again after a pause.

use super::{Place, worker};
use axum::body::Body;
use axum::http::Request;
use futures_util::StreamExt as _;
use runcast_server::router;
use runcast_store::testing::both;
use std::time::Duration;
use tower::ServiceExt as _;

/// An event as it came.
#[derive(Debug, Default, Clone)]
struct Came {
    id: String,
    kind: String,
    data: String,
}

/// Listens until an event comes for which `last` holds; the request is sent before `meanwhile`.
async fn listen(
    place: &Place,
    query: &str,
    after: Option<&str>,
    last: impl Fn(&Came) -> bool,
    meanwhile: impl Future<Output = ()>,
) -> Vec<Came> {
    let mut request = Request::get(format!("/api/v1/projects/demo/events{query}"))
        .header("host", crate::site::HOST)
        .header("authorization", format!("Bearer {}", place.token));
    if let Some(after) = after {
        request = request.header("last-event-id", after);
    }
    let request = request.body(Body::empty()).expect("a request");
    let response = router::router(place.site.app.clone()).oneshot(request).await.expect("an answer");
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut body = response.into_body().into_data_stream();
    meanwhile.await;
    let (mut text, mut came) = (String::new(), Vec::new());
    let read = async {
        while let Some(bytes) = body.next().await {
            text.push_str(&String::from_utf8_lossy(&bytes.expect("bytes")));
            while let Some(end) = text.find("\n\n") {
                let block: String = text.drain(..end + 2).collect();
                let field = |name: &str| {
                    let line = block.lines().find_map(|line| line.strip_prefix(name));
                    line.unwrap_or_default().trim().to_owned()
                };
                let event = Came { id: field("id:"), kind: field("event:"), data: field("data:") };
                let is_last = last(&event);
                came.push(event);
                if is_last {
                    return;
                }
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), read).await.expect("the event came in time");
    came
}

#[tokio::test(flavor = "multi_thread")]
async fn who_listens_hears_of_a_job_from_its_launch_to_its_end_and_can_go_on_later() {
    both(|db| async move {
        let place = Place::new(&db).await;
        let is_over = |event: &Came| event.kind == "job" && event.data.contains("succeeded");
        let came = listen(&place, "", None, is_over, async {
            place.launch(&["sim", "sweep", "m/experiment.toml"]).await;
            worker::work(&db, &worker::register(&db).await, 9).await;
        })
        .await;
        assert_eq!(came[0].kind, "ping");
        assert!(came.iter().any(|event| event.kind == "job" && event.data.contains("queued")), "{came:?}");
        let progress = came.iter().find(|event| event.kind == "progress").expect("progress");
        let data: serde_json::Value = serde_json::from_str(&progress.data).expect("JSON");
        for field in ["job", "points_done", "points_total", "rate_per_s", "eta_s"] {
            assert!(!data[field].is_null(), "{field} of {data}");
        }
        let ids: Vec<i64> = came.iter().map(|event| event.id.parse().expect("a number")).collect();
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "{ids:?}");

        // Again from the second: the same events, and nothing before.
        let again = listen(&place, "", Some(&came[1].id), is_over, async {}).await;
        let rest: Vec<&str> = came[2..].iter().map(|event| event.id.as_str()).collect();
        assert_eq!(again.iter().map(|event| event.id.as_str()).collect::<Vec<_>>(), rest);
        // What nobody knows: read anew.
        let reset = listen(&place, "", Some("999999"), |event| event.kind == "reset", async {}).await;
        assert_eq!(reset.len(), 1);
        let nonsense = listen(&place, "", Some("abc"), |event| event.kind == "reset", async {}).await;
        assert_eq!(nonsense.len(), 1);
        // Of one job only.
        let other = place.launch(&["sim", "run", "m/experiment.toml"]).await;
        let one =
            listen(&place, &format!("?job={other}"), Some(&came[0].id), |event| event.kind == "job", async {}).await;
        assert!(one.iter().all(|event| event.data.contains(&other)), "{one:?}");
    })
    .await;
}
