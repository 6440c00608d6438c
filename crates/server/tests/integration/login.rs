//! Logging in: what it costs, how often it may fail, and the first administrator.

use crate::site::{PASSWORD, Site};
use axum::http::StatusCode;
use runcast_store::testing::both;
use runcast_store::{Database, SiteRole, Value, logins, password, setup, users};
use serde_json::json;
use std::time::Instant;

#[tokio::test(flavor = "multi_thread")]
async fn after_five_failures_a_client_has_a_pause() {
    both(|db| async move {
        let site = Site::multi(&db);
        site.user("alice", SiteRole::Author).await;
        site.user("bob", SiteRole::Author).await;
        for name in ["alice", "Alice", "ALICE", "alice", "aLiCe"] {
            let answer = site.login(name, "not the password").from([10, 0, 0, 1]).send().await;
            assert_eq!((answer.status, answer.code().as_str()), (StatusCode::UNAUTHORIZED, "login"));
        }
        let paused = site.login("alice", PASSWORD).from([10, 0, 0, 99]).send().await;
        assert_eq!(paused.status, StatusCode::TOO_MANY_REQUESTS, "the right password, too, from the same network");
        let wait: i64 = paused.header("retry-after").parse().expect("seconds");
        assert!((1..=2).contains(&wait), "{wait}");
        // Nobody else waits: neither another user there, nor the same from elsewhere.
        assert_eq!(site.login("bob", PASSWORD).from([10, 0, 0, 1]).send().await.status, StatusCode::OK);
        assert_eq!(site.login("alice", PASSWORD).from([10, 0, 7, 1]).send().await.status, StatusCode::OK);
        // After the pause one may try again, and the next is longer.
        let back = |seconds: i64| Value::from(seconds * 1_000_000);
        let later = "UPDATE login_failures SET at = at - $1";
        db.write(later, &[back(2)]).await.expect("written");
        let answer = site.login("alice", "not the password").from([10, 0, 0, 1]).send().await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
        let paused = site.login("alice", PASSWORD).from([10, 0, 0, 1]).send().await;
        let wait: i64 = paused.header("retry-after").parse().expect("seconds");
        assert!((3..=4).contains(&wait), "{wait}");
        // After a quarter of an hour all is forgotten.
        db.write(later, &[back(15 * 60 + 1)]).await.expect("written");
        assert_eq!(site.login("alice", PASSWORD).from([10, 0, 0, 1]).send().await.status, StatusCode::OK);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_passwords_of_others_lock_nobody_out() {
    both(|db| async move {
        let site = Site::multi(&db);
        site.user("alice", SiteRole::Author).await;
        let known = site.login("alice", PASSWORD).send().await;
        let device = known.device();
        assert!(device.starts_with("runcast-device-"), "{device}");
        let lines: Vec<&str> =
            known.headers.get_all("set-cookie").iter().filter_map(|line| line.to_str().ok()).collect();
        assert!(lines.len() == 2 && lines.iter().all(|line| line.contains("HttpOnly; SameSite=Strict")), "{lines:?}");
        assert!(lines.iter().any(|line| line.contains("Max-Age=7776000")), "90 days");
        // Guesses from forty networks: the first few at once, the others take turns.
        let mut guesses = Vec::new();
        for network in 0..40_u8 {
            let guess = site.login("alice", "a guess").from([10, 1, network, 1]);
            guesses.push(tokio::spawn(async move { guess.send().await.status }));
        }
        // With her device she is in at once, without it after her turn.
        let begun = Instant::now();
        let answer = site.login("alice", PASSWORD).cookie(&device).from([10, 9, 9, 9]).send().await;
        assert_eq!(answer.status, StatusCode::OK);
        assert_eq!(answer.device(), device, "it stays the same");
        assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
        // A device is known for those who logged in from it only.
        site.user("bob", SiteRole::Author).await;
        for _ in 0..5 {
            let answer = site.login("bob", "a guess").cookie(&device).from([10, 2, 0, 1]).send().await;
            assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
        }
        let paused = site.login("bob", PASSWORD).from([10, 2, 0, 2]).send().await;
        assert_eq!(paused.status, StatusCode::TOO_MANY_REQUESTS, "its address failed, not the device");
        // Guesses with a cookie that was made up are those of an address.
        let forged = site.login("bob", PASSWORD).cookie("runcast-device-0=made-up").from([10, 2, 0, 3]);
        assert_eq!(forged.send().await.status, StatusCode::TOO_MANY_REQUESTS);
        for guess in guesses {
            guess.abort();
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_good_login_forgets_the_failures_of_the_account() {
    both(|db| async move {
        let site = Site::multi(&db);
        site.user("alice", SiteRole::Author).await;
        for _ in 0..3 {
            for _ in 0..4 {
                assert_eq!(site.login("alice", "wrong").send().await.status, StatusCode::UNAUTHORIZED);
            }
            site.log_in("alice", PASSWORD).await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_twenty_failures_a_network_has_a_pause() {
    both(|db| async move {
        let site = Site::multi(&db);
        site.user("alice", SiteRole::Author).await;
        for number in 0..20 {
            let answer = site.login(&format!("nobody-{number}"), "wrong").from([10, 0, 0, 9]).send().await;
            assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
        }
        let paused = site.login("alice", PASSWORD).from([10, 0, 0, 9]).send().await;
        assert_eq!(paused.status, StatusCode::TOO_MANY_REQUESTS);
        let forged = site.login("alice", PASSWORD).from([10, 0, 0, 9]).header("x-forwarded-for", "10.0.0.7");
        assert_eq!(forged.send().await.status, StatusCode::TOO_MANY_REQUESTS, "forwarded headers do not count here");
        assert_eq!(site.login("alice", PASSWORD).from([10, 0, 1, 8]).send().await.status, StatusCode::OK);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_attempts_at_once_gain_nothing() {
    both(|db| async move {
        let mut attempts = Vec::new();
        for _ in 0..20_u8 {
            let db = db.clone();
            attempts
                .push(tokio::spawn(async move { logins::attempt(&db, "alice", "10.0.0.0/24").await.expect("asked") }));
        }
        let mut granted = 0;
        for attempt in attempts {
            granted += usize::from(matches!(attempt.await.expect("done"), logins::Attempt::Granted { .. }));
        }
        assert_eq!(granted, 5);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_name_takes_as_long_as_a_wrong_password() {
    let place = runcast_store::testing::Place::sqlite().expect("a folder");
    let db = runcast_store::Database::open(place.location()).await.expect("SQLite opens");
    let site = Site::multi(&db);
    let mut times = [Vec::new(), Vec::new()];
    for number in 0..9_u8 {
        site.user(&format!("user-{number}"), SiteRole::Author).await;
        for (known, times) in [true, false].into_iter().zip(&mut times) {
            let name = format!("{}-{number}", if known { "user" } else { "nobody" });
            let begun = Instant::now();
            let answer = site.login(&name, "wrong password").from([10, 0, 1, number]).send().await;
            times.push(begun.elapsed());
            assert_eq!(answer.json()["detail"], "the name or the password is wrong");
        }
    }
    let [mut known, mut unknown] = times;
    known.sort();
    unknown.sort();
    let ratio = unknown[4].as_secs_f64() / known[4].as_secs_f64();
    assert!((0.5..2.0).contains(&ratio), "medians: {:?} and {:?}", unknown[4], known[4]);
}

#[test]
fn passwords_are_hashed_by_argon2id_at_its_price() {
    let hash = password::hash(PASSWORD).expect("a hash");
    let parts: Vec<&str> = hash.split('$').collect();
    assert_eq!(parts[1], "argon2id");
    let price = |name: &str| -> u32 {
        let found = parts[3].split(',').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
        found.expect("a parameter").parse().expect("a number")
    };
    assert!(price("m") >= 19_456 && price("t") >= 2 && price("p") == 1, "{hash}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_set_up_link_works_once_and_for_an_hour() {
    both(|db| async move {
        let site = Site::multi(&db);
        let set_up = |token: &str, name: &str, password: &str| {
            let body = json!({"token": token, "name": name, "password": password});
            site.api("POST", "/setup").json(&body)
        };
        let late = link(&db).await;
        let hour = Value::from(3_600_000_000_i64);
        db.write("UPDATE setup_links SET expires_at = expires_at - $1", &[hour]).await.expect("written");
        assert_eq!(set_up(&late, "late", PASSWORD).send().await.code(), "setup");

        let former = link(&db).await;
        let link = link(&db).await;
        assert_eq!(
            set_up(&former, "root", PASSWORD).send().await.code(),
            "setup",
            "a new link replaces the one before"
        );
        assert_eq!(set_up(&link, "root", "short").send().await.code(), "password");
        assert_eq!(set_up(&link, "no name", PASSWORD).send().await.code(), "name");
        let made = set_up(&link, "root", PASSWORD).send().await;
        assert_eq!(made.status, StatusCode::CREATED, "{}", made.text());
        assert_eq!(made.json()["role"], "administrator");
        assert_eq!(site.api("GET", "/users").cookie(&made.cookie()).send().await.status, StatusCode::OK);
        assert_eq!(set_up(&link, "again", PASSWORD).send().await.code(), "setup");
        assert_eq!(setup::link(&db).await.expect("read"), None, "there is an administrator");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_set_up_link_works_no_longer_once_a_user_was_added() {
    both(|db| async move {
        let site = Site::multi(&db);
        let link = link(&db).await;
        site.user("root", SiteRole::Administrator).await;
        let body = json!({"token": link, "name": "second", "password": PASSWORD});
        let answer = site.api("POST", "/setup").json(&body).send().await;
        assert_eq!((answer.status, answer.code()), (StatusCode::UNAUTHORIZED, "setup".to_owned()));
        assert_eq!(users::list(&db, "", 10).await.expect("a list").len(), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_accounts_takes_no_set_up_link() {
    both(|db| async move {
        let link = link(&db).await;
        let (site, _) = Site::single(&db).await;
        let body = json!({"token": link, "name": "root", "password": PASSWORD});
        assert_eq!(site.api("POST", "/setup").json(&body).send().await.code(), "single");
    })
    .await;
}

async fn link(db: &Database) -> String {
    setup::link(db).await.expect("a link").expect("no user has a password")
}
