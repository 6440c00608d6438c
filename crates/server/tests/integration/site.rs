//! A server in this process, and requests to it: all layers, no socket.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Method, Request, StatusCode, header};
use runcast_server::app::{App, Mode, Options, Single};
use runcast_server::router;
use runcast_store::users::User;
use runcast_store::{Database, Id, MemberRole, Scope, SiteRole, members, password, projects, secret, tokens, users};
use serde_json::Value;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::LazyLock;
use tower::ServiceExt as _;

/// The name that the server is asked by.
pub const HOST: &str = "127.0.0.1:8470";
/// What browsers send as `Origin`.
pub const ORIGIN: &str = "http://127.0.0.1:8470";
/// The password of every user here.
pub const PASSWORD: &str = "a password of tests";

/// Hashing takes its time: once is enough.
static HASH: LazyLock<String> = LazyLock::new(|| password::hash(PASSWORD).expect("a hash"));

/// A server.
#[derive(Clone)]
pub struct Site {
    /// What its handlers share.
    pub app: App,
    router: Router,
}

/// A request that is being put together.
pub struct Ask {
    router: Router,
    method: Method,
    path: String,
    headers: HeaderMap,
    body: Vec<u8>,
    from: SocketAddr,
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

/// How the server of a test was started.
pub fn options(mode: Mode) -> Options {
    Options {
        mode,
        data_dir: PathBuf::from("/nonexistent"),
        hosts: vec![HOST.to_owned(), "localhost:8470".to_owned()],
        any_address: false,
        origin: ORIGIN.to_owned(),
        secure: false,
        port: 8470,
        behind_proxy: false,
        allow_weak_sandbox: false,
        executable: PathBuf::from("/nonexistent"),
    }
}

impl Site {
    /// With accounts.
    pub fn multi(db: &Database) -> Site {
        Site::with(App::new(db.clone(), options(Mode::Multi)))
    }

    /// With one user, and their token.
    pub async fn single(db: &Database) -> (Site, String) {
        let user = users::local(db).await.expect("a user").id;
        let token = secret::fresh();
        let single = Single { user, token: token.clone() };
        (Site::with(App::single_user(db.clone(), options(Mode::Single), single)), token)
    }

    /// Of an app.
    pub fn with(app: App) -> Site {
        Site { router: router::router(app.clone()), app }
    }

    /// Its database.
    pub fn db(&self) -> &Database {
        self.app.database()
    }

    /// A user with [`PASSWORD`].
    pub async fn user(&self, name: &str, role: SiteRole) -> User {
        users::add(self.db(), name, Some(&HASH), role).await.expect("a user")
    }

    /// A token of a user.
    pub async fn token(&self, user: &User, scope: Scope, project: Option<&Id>) -> String {
        tokens::add(self.db(), &user.id, "test", scope, project, None).await.expect("a token").0
    }

    /// A project with these members.
    pub async fn project(&self, name: &str, people: &[(&User, MemberRole)]) -> Id {
        let maker = projects::Maker { owner: None, name: "nobody" };
        let project = projects::create(self.db(), name, name, maker).await.expect("a project").id;
        for (user, role) in people {
            members::put(self.db(), &project, &user.name, *role).await.expect("a member");
        }
        project
    }

    /// A request; the path is that of the whole address.
    pub fn ask(&self, method: &str, path: &str) -> Ask {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HOST.parse().expect("a header"));
        Ask {
            router: self.router.clone(),
            method: method.parse().expect("a method"),
            path: path.to_owned(),
            headers,
            body: Vec::new(),
            from: SocketAddr::from(([127, 0, 0, 1], 50_000)),
        }
    }

    /// A request to the API.
    pub fn api(&self, method: &str, path: &str) -> Ask {
        self.ask(method, &format!("/api/v1{path}"))
    }

    /// Logs in by password: the cookie and the CSRF token.
    pub async fn log_in(&self, name: &str, password: &str) -> (String, String) {
        let answer = self.login(name, password).send().await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
        (answer.cookie(), answer.json()["csrf"].as_str().expect("a token").to_owned())
    }

    /// A login that may fail.
    pub fn login(&self, name: &str, password: &str) -> Ask {
        self.api("POST", "/session").json(&serde_json::json!({"name": name, "password": password}))
    }
}

impl Ask {
    /// With a header, in place of one that is there.
    pub fn header(mut self, name: &'static str, value: &str) -> Ask {
        self.headers.insert(name, value.parse().expect("a header"));
        self
    }

    /// Without a header.
    pub fn without(mut self, name: &str) -> Ask {
        self.headers.remove(name);
        self
    }

    /// With a token.
    pub fn bearer(self, token: &str) -> Ask {
        self.header("authorization", &format!("Bearer {token}"))
    }

    /// With a cookie (`name=value`).
    pub fn cookie(self, cookie: &str) -> Ask {
        self.header("cookie", cookie)
    }

    /// As a page of ours asks: with `Origin` and CSRF token.
    pub fn by_page(self, cookie: &str, csrf: &str) -> Ask {
        self.cookie(cookie).header("origin", ORIGIN).header("x-runcast-csrf", csrf)
    }

    /// With a body of JSON.
    pub fn json(self, body: &Value) -> Ask {
        self.body("application/json", &serde_json::to_vec(body).expect("JSON"))
    }

    /// With a body.
    pub fn body(mut self, kind: &str, bytes: &[u8]) -> Ask {
        self.body = bytes.to_owned();
        self.header("content-type", kind)
    }

    /// From this address.
    pub fn from(mut self, address: [u8; 4]) -> Ask {
        self.from = SocketAddr::from((address, 50_000));
        self
    }

    /// Sends it. Of what does not end, such as events, nothing is read.
    pub async fn send(self) -> Answer {
        let mut request = Request::builder().method(self.method).uri(&self.path).body(Body::from(self.body));
        let request = request.as_mut().expect("a request");
        *request.headers_mut() = self.headers;
        request.extensions_mut().insert(ConnectInfo(self.from));
        let request = std::mem::take(request);
        let response = self.router.oneshot(request).await.expect("an answer");
        let (parts, body) = response.into_parts();
        let kind = parts.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let body = if kind.starts_with("text/event-stream") {
            Vec::new()
        } else {
            to_bytes(body, 64 << 20).await.expect("a body").to_vec()
        };
        Answer { status: parts.status, headers: parts.headers, body }
    }
}

impl Answer {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// A header, or nothing.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The cookie that was set, as `name=value`.
    pub fn cookie(&self) -> String {
        self.header("set-cookie").split(';').next().unwrap_or_default().to_owned()
    }

    /// The cookie of the device that was set beside that of the session, as `name=value`.
    pub fn device(&self) -> String {
        let lines = self.headers.get_all("set-cookie").iter().filter_map(|line| line.to_str().ok());
        let device = lines.filter(|line| line.contains("runcast-device")).find_map(|line| line.split(';').next());
        device.unwrap_or_default().to_owned()
    }

    /// `code` of a problem; asserts that it is one, complete.
    pub fn code(&self) -> String {
        assert_eq!(self.header("content-type"), "application/problem+json", "{}", self.text());
        let problem = self.json();
        assert_eq!(problem["status"], self.status.as_u16());
        assert_eq!(problem["type"], format!("/problems/{}", problem["code"].as_str().expect("a code")));
        assert!(problem["instance"].as_str().is_some_and(|path| path.starts_with('/')), "{problem}");
        problem["code"].as_str().expect("a code").to_owned()
    }
}
