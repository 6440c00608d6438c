//! Requests to a server, and the meaning of its refusals.

use crate::failure::Failure;
use runcast_core::{Problem, Problems};
use serde_json::Value;
use std::time::Duration;

/// Bytes of an answer that are read at most.
const MOST: u64 = 1 << 30;
/// How long one request may take: a large table on a slow line.
const PATIENCE: Duration = Duration::from_secs(300);

/// A server, and the token that it knows us by.
#[derive(Debug, Clone)]
pub(super) struct Server {
    agent: ureq::Agent,
    base: String,
    token: Option<String>,
}

/// What a server answered.
#[derive(Debug)]
pub(super) struct Answer {
    pub status: u16,
    /// How many seconds to wait before asking again, where the server says so.
    pub retry_after_s: Option<u64>,
    pub body: Vec<u8>,
}

/// What a request carries.
#[derive(Debug, Clone, Copy)]
pub(super) enum Body<'a> {
    /// Nothing.
    None,
    /// JSON.
    Json(&'a Value),
    /// A file.
    Bytes(&'a [u8]),
}

impl Server {
    /// The server at this address; the address that `runcast serve` prints, with its token, will do.
    ///
    /// # Errors
    /// It is no address.
    pub fn new(address: &str) -> Result<Self, Failure> {
        let (base, query) = address.split_once('?').unwrap_or((address, ""));
        let base = base.trim_end_matches('/').trim_end_matches("/api/v1").to_owned();
        let host = base.strip_prefix("http://").or_else(|| base.strip_prefix("https://"));
        if host.is_none_or(|host| host.is_empty() || host.contains('@')) {
            let problem = Problem::new("not_an_address", "it is no address of a server").at("--server").value(address);
            return Err(problem.allowed("http://HOST:PORT or https://HOST").into());
        }
        let in_address = query.split('&').find_map(|part| part.strip_prefix("token=")).map(str::to_owned);
        let token = std::env::var("RUNCAST_TOKEN").ok().filter(|token| !token.is_empty()).or(in_address);
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(PATIENCE))
            .max_redirects(0)
            .user_agent(concat!("runcast/", env!("CARGO_PKG_VERSION")))
            .build()
            .into();
        Ok(Server { agent, base, token })
    }

    /// One request; whatever is answered is an answer.
    ///
    /// # Errors
    /// There is no answer.
    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Body<'_>) -> Result<Answer, Failure> {
        let mut request = ureq::http::Request::builder().method(method).uri(format!("{}/api/v1{path}", self.base));
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (media, bytes) = match body {
            Body::None => (None, Vec::new()),
            Body::Json(value) => (Some("application/json"), serde_json::to_vec(value).unwrap_or_default()),
            Body::Bytes(bytes) => (Some("application/octet-stream"), bytes.to_owned()),
        };
        if let Some(media) = media {
            request = request.header("content-type", media);
        }
        let request = request.body(bytes).map_err(|error| self.unreachable(&error.to_string()))?;
        let mut response = self.agent.run(request).map_err(|error| self.unreachable(&error.to_string()))?;
        let retry_after = response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
        let status = response.status().as_u16();
        let body = response.body_mut().with_config().limit(MOST).read_to_vec();
        Ok(Answer {
            status,
            retry_after_s: retry_after,
            body: body.map_err(|error| self.unreachable(&error.to_string()))?,
        })
    }

    /// One request that must succeed.
    ///
    /// # Errors
    /// There is no answer, or a refusal.
    pub fn expect(&self, method: &str, path: &str, body: Body<'_>) -> Result<Answer, Failure> {
        let answer = self.ask(method, path, &[], body)?;
        if answer.is_good() { Ok(answer) } else { Err(answer.refusal()) }
    }

    /// The JSON of one request that must succeed.
    ///
    /// # Errors
    /// There is no answer, a refusal, or something else than JSON.
    pub fn json(&self, method: &str, path: &str, body: Body<'_>) -> Result<Value, Failure> {
        self.expect(method, path, body)?.json()
    }

    fn unreachable(&self, why: &str) -> Failure {
        let problem = Problem::new("server_away", format!("the server does not answer: {why}"));
        Failure::undone(problem.at("--server").value(self.base.as_str()).hint("is `runcast serve` running there?"))
    }
}

impl Answer {
    /// Whether it is a success.
    pub fn is_good(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The body as JSON.
    ///
    /// # Errors
    /// It is none.
    pub fn json(&self) -> Result<Value, Failure> {
        serde_json::from_slice(&self.body).map_err(|_| {
            Failure::undone(
                Problem::new("not_runcast", "the answer is not JSON")
                    .hint("does the address lead to a runcast server?"),
            )
        })
    }

    /// What the refusal says.
    pub fn refusal(&self) -> Failure {
        let body: Value = serde_json::from_slice(&self.body).unwrap_or(Value::Null);
        let code = body["code"].as_str().unwrap_or("refused").to_owned();
        let detail = body["detail"].as_str().filter(|detail| !detail.is_empty());
        let detail = detail.map_or_else(|| format!("the server answered {}", self.status), str::to_owned);
        let told: Vec<Problem> = serde_json::from_value(body["problems"].clone()).unwrap_or_default();
        let mut problems = Problems(told);
        if problems.0.is_empty() {
            let problem = Problem::new(code, detail);
            problems.0.push(match self.status {
                401 => problem
                    .hint("set RUNCAST_TOKEN to a token of this server (page Settings, or `runcast serve token add`)"),
                _ => problem,
            });
        }
        let exit = if matches!(self.status, 400 | 404 | 413 | 415 | 422) { 2 } else { 1 };
        Failure { problems, exit }
    }
}

/// A part of a path, with everything but letters, digits and `-._` in percent signs.
pub(super) fn encoded(part: &str) -> String {
    use std::fmt::Write as _;
    part.bytes().fold(String::new(), |mut text, byte| {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' => text.push(char::from(byte)),
            _ => {
                let _ = write!(text, "%{byte:02X}");
            }
        }
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_may_hold_the_token_and_are_checked() {
        let server = Server::new("http://127.0.0.1:8470/?token=abc").expect("an address");
        assert_eq!(server.base, "http://127.0.0.1:8470");
        for bad in ["", "127.0.0.1:8470", "ftp://x", "http://", "http://user:secret@host"] {
            assert_eq!(Server::new(bad).expect_err("no address").exit, 2, "{bad}");
        }
    }

    #[test]
    fn refusals_become_problems() {
        let body = br#"{"code":"argv","detail":"no","problems":[{"code":"argv","message":"bench is not allowed","pointer":"/argv/0"}]}"#;
        let answer = Answer { status: 422, retry_after_s: None, body: body.to_vec() };
        let failure = answer.refusal();
        assert_eq!((failure.exit, failure.problems.0[0].pointer.as_deref()), (2, Some("/argv/0")));
        let answer = Answer { status: 401, retry_after_s: None, body: Vec::new() };
        assert!(answer.refusal().problems.0[0].hint.as_deref().is_some_and(|hint| hint.contains("RUNCAST_TOKEN")));
    }

    #[test]
    fn parts_of_paths_are_encoded() {
        assert_eq!(encoded("a b/ü"), "a%20b%2F%C3%BC");
    }
}
