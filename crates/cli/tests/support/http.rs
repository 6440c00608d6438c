//! Requests that may meet a server at any moment of its life: an answer is whole, or none.

use std::io::{Error, ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Where a server is, and how it knows us.
#[derive(Clone)]
pub struct Address {
    pub port: u16,
    pub token: String,
    /// How long it may take.
    pub patience: Duration,
}

/// A whole answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    head: String,
    pub body: Vec<u8>,
}

impl Answer {
    /// Of a header, by its name in small letters; empty if it is not there.
    pub fn header(&self, name: &str) -> &str {
        let of_line = |line: &'_ str| line.split_once(": ").is_some_and(|(key, _)| key.eq_ignore_ascii_case(name));
        let line = self.head.lines().find(|line| of_line(line));
        line.and_then(|line| line.split_once(": ")).map_or("", |(_, value)| value)
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// Asks once.
pub fn ask(
    address: &Address,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> std::io::Result<Answer> {
    let Address { port, token, patience } = address;
    let mut stream = TcpStream::connect_timeout(&SocketAddr::from(([127, 0, 0, 1], *port)), *patience)?;
    stream.set_read_timeout(Some(*patience))?;
    stream.set_write_timeout(Some(*patience))?;
    let mut request = format!(
        "{method} /api/v1{path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\
         Connection: close\r\nContent-Length: {}\r\n",
        body.len()
    );
    headers.iter().for_each(|(name, value)| request.push_str(&format!("{name}: {value}\r\n")));
    request.push_str("\r\n");
    stream.write_all(&[request.as_bytes(), body].concat())?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    let broken = |what: &str| Error::new(ErrorKind::UnexpectedEof, what.to_owned());
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").ok_or_else(|| broken("no whole head"))?;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let status = head.split_whitespace().nth(1).and_then(|status| status.parse().ok());
    let status = status.ok_or_else(|| broken("no status"))?;
    let answer = Answer { status, head, body: bytes.split_off(end + 4) };
    let length: Option<usize> = answer.header("content-length").parse().ok();
    match length {
        Some(length) if length == answer.body.len() => Ok(answer),
        // An archive comes in chunks.
        None if answer.header("transfer-encoding") == "chunked" => match joined(&answer.body) {
            Some(body) => Ok(Answer { body, ..answer }),
            None => Err(broken("no whole body")),
        },
        None if matches!(status, 204 | 304) => Ok(answer),
        _ => Err(broken("no whole body")),
    }
}

/// The body that was sent in these chunks, if it is whole.
fn joined(mut chunks: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = chunks.windows(2).position(|two| two == b"\r\n")?;
        let length = usize::from_str_radix(std::str::from_utf8(&chunks[..end]).ok()?, 16).ok()?;
        if length == 0 {
            return Some(body);
        }
        body.extend_from_slice(chunks.get(end + 2..end + 2 + length)?);
        chunks = chunks.get(end + 4 + length..)?;
    }
}
