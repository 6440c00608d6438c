//! Bodies that are too large, and requests that trickle in, over a real connection.

use crate::site::{HOST, Site, options};
use axum::http::StatusCode;
use runcast_server::app::{App, Mode};
use runcast_server::router;
use runcast_store::Database;
use runcast_store::testing::Place;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

async fn database() -> (Database, Place) {
    let place = Place::sqlite().expect("a folder");
    (Database::open(place.location()).await.expect("SQLite opens"), place)
}

#[tokio::test(flavor = "multi_thread")]
async fn json_of_more_than_ten_mebibytes_is_refused() {
    let (db, _place) = database().await;
    let site = Site::multi(&db);
    let fits = format!("{{\"name\":\"a\",\"password\":\"{}\"}}", "x".repeat((10 << 20) - 40));
    assert_eq!(site.api("POST", "/session").body("application/json", fits.as_bytes()).send().await.code(), "login");
    let large = format!("{{\"name\":\"a\",\"password\":\"{}\"}}", "x".repeat(10 << 20));
    let answer = site.api("POST", "/session").body("application/json", large.as_bytes()).send().await;
    assert_eq!((answer.status, answer.code().as_str()), (StatusCode::PAYLOAD_TOO_LARGE, "too_large"));
}

/// A server on a port of its own.
async fn listening(db: &Database) -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let service = router::router(App::new(db.clone(), options(Mode::Multi)));
    let service = service.into_make_service_with_connect_info::<SocketAddr>();
    tokio::spawn(async move { axum::serve(listener, service).await });
    address
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_stops_coming_is_cut_off() {
    let (db, _place) = database().await;
    let address = listening(&db).await;
    let begun = Instant::now();
    let mut slow = TcpStream::connect(address).await.expect("connected");
    let head = format!(
        "POST /api/v1/session HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{"
    );
    slow.write_all(head.as_bytes()).await.expect("written");
    // Others are served meanwhile.
    let mut quick = TcpStream::connect(address).await.expect("connected");
    let get = format!("GET /api/v1/health HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n");
    quick.write_all(get.as_bytes()).await.expect("written");
    let mut text = String::new();
    quick.read_to_string(&mut text).await.expect("read");
    assert!(text.starts_with("HTTP/1.1 200"), "{text}");
    assert!(begun.elapsed() < Duration::from_secs(5));

    let mut bytes = vec![0; 4096];
    let read = tokio::time::timeout(Duration::from_secs(30), slow.read(&mut bytes)).await;
    let read = read.expect("an answer within its time").expect("read");
    let text = String::from_utf8_lossy(&bytes[..read]).into_owned();
    assert!(text.starts_with("HTTP/1.1 408"), "{text}");
    assert!(text.contains("/problems/slow_body"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_trickles_is_cut_off_too() {
    let (db, _place) = database().await;
    let address = listening(&db).await;
    let slow = TcpStream::connect(address).await.expect("connected");
    let (mut reader, mut writer) = slow.into_split();
    let head = format!(
        "POST /api/v1/session HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n"
    );
    writer.write_all(head.as_bytes()).await.expect("written");
    let trickle = tokio::spawn(async move {
        while writer.write_all(b" ").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    });
    let mut bytes = vec![0; 4096];
    let read = tokio::time::timeout(Duration::from_secs(40), reader.read(&mut bytes)).await;
    let read = read.expect("an answer within its time").expect("read");
    assert!(String::from_utf8_lossy(&bytes[..read]).starts_with("HTTP/1.1 408"));
    trickle.abort();
}
