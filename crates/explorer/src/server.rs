//! The server of the page: on the loopback address, for whoever knows its token.
//!
//! Any program of this computer can reach the loopback address, and so can any web page in the
//! user's browser. Both lack the token, which is in the URL that only the user sees. A page that
//! gives its own name to 127.0.0.1 (DNS rebinding) is told by its `Host`. The page sends settings
//! and sizes, never
//! a path or build options, so that it cannot make the compiler read a file.

use std::io::Read;
use std::sync::{Condvar, Mutex, PoisonError};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::http::{Answer, Listener, Request};
use crate::model::Settings;
use crate::{Compilation, Page, Roofline, RunResult, page};

/// Compilations at once.
const COMPILATIONS: usize = 2;

/// What the server does for the page.
pub trait Work: Sync {
    fn compile(&self, settings: &Settings) -> Result<Compilation, String>;
    /// Runs a kernel for as long as somebody waits for it.
    fn run(&self, request: &RunRequest, is_wanted: &dyn Fn() -> bool) -> Result<RunResult, String>;
    fn roofline(&self) -> Result<Roofline, String>;
}

/// A run that the page asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunRequest {
    pub settings: Settings,
    pub global: Vec<usize>,
    /// As `lanewise run --arg` takes them.
    pub args: Vec<String>,
    pub repeat: u32,
    /// Whether divergent branches are counted, which takes another run.
    #[serde(default)]
    pub divergence: bool,
}

/// A page with a server behind it.
pub struct Server {
    http: Listener,
    token: String,
    page: Mutex<Page>,
    compilations: Slots,
    /// One run at a time: two would measure each other.
    runs: Slots,
}

impl Server {
    /// Listens on the loopback address; on any port if it is 0.
    pub fn bind(port: u16, page: Page) -> Result<Server, String> {
        Ok(Server {
            http: Listener::bind(port)?,
            token: new_token()?,
            page: Mutex::new(page),
            compilations: Slots::new(COMPILATIONS),
            runs: Slots::new(1),
        })
    }

    /// The address of the page, with its token.
    pub fn url(&self) -> String {
        format!("http://{}/?token={}", self.http.address, self.token)
    }

    /// Answers until the process ends.
    pub fn serve(&self, work: &dyn Work) {
        self.http.serve(&|request| self.reply(request, work).unwrap_or_else(|refused| refused));
    }

    fn reply(&self, request: &mut Request, work: &dyn Work) -> Result<Answer, Answer> {
        let url = request.url.clone();
        let (path, query) = url.split_once('?').unwrap_or((&url, ""));
        self.check_origin(request)?;
        let token = request.header("X-Lanewise-Token").or_else(|| query.strip_prefix("token="));
        if !token.is_some_and(|token| same(token, &self.token)) {
            return Err(Answer::text(
                403,
                "The address lacks its token: open the one that `lanewise explore` printed.",
            ));
        }
        match (request.method.as_str(), path) {
            ("GET", "/") => {
                let page = self.page.lock().unwrap_or_else(PoisonError::into_inner);
                let nonce = new_token().map_err(|e| Answer::text(500, &e))?;
                let html = page::html(&page, Some(&nonce));
                let policy = format!(
                    "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'unsafe-inline'; connect-src \
                    'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
                );
                let answer = Answer::new(200, "text/html; charset=utf-8", html.into_bytes());
                Ok(answer.with_header("Content-Security-Policy", policy))
            }
            ("GET", "/api/roofline") => {
                let _slot = self.runs.take();
                Ok(json(work.roofline()))
            }
            // The setting beside the page's own is as it was given when the page is loaded again.
            ("POST", "/api/compile" | "/api/compile/other") => {
                let settings: Settings = body(request)?;
                let _slot = self.compilations.take();
                let compiled = work.compile(&settings);
                if let (Ok(compilation), "/api/compile") = (&compiled, path) {
                    // A reload shows what was shown last.
                    let mut page = self.page.lock().unwrap_or_else(PoisonError::into_inner);
                    page.compilation = compilation.clone();
                }
                Ok(json(compiled))
            }
            ("POST", "/api/run") => {
                let wanted: RunRequest = body(request)?;
                let _slot = self.runs.take();
                if !request.is_open() {
                    return Err(Answer::text(422, "stopped"));
                }
                Ok(json(work.run(&wanted, &|| request.is_open())))
            }
            _ => Err(Answer::text(404, "There is no such page.")),
        }
    }

    /// Refuses requests that a page of another origin makes.
    fn check_origin(&self, request: &Request) -> Result<(), Answer> {
        let port = self.http.address.port();
        let own = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
        let host = request.header("Host").unwrap_or_default();
        let is_own = |host: &str| own.iter().any(|name| name == host);
        let origin = request.header("Origin");
        if !is_own(host) || origin.is_some_and(|origin| !origin.strip_prefix("http://").is_some_and(is_own)) {
            return Err(Answer::text(403, "This server answers its own page only."));
        }
        Ok(())
    }
}

/// How many may do something at once.
struct Slots {
    free: Mutex<usize>,
    freed: Condvar,
}

struct Slot<'a>(&'a Slots);

impl Slots {
    fn new(count: usize) -> Slots {
        Slots { free: Mutex::new(count), freed: Condvar::new() }
    }

    /// Waits for a free slot.
    fn take(&self) -> Slot<'_> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let free = self.freed.wait_while(free, |free| *free == 0);
        *free.unwrap_or_else(PoisonError::into_inner) -= 1;
        Slot(self)
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.freed.notify_one();
    }
}

/// The JSON of a request.
fn body<T: DeserializeOwned>(request: &mut Request) -> Result<T, Answer> {
    serde_json::from_slice(&request.body()?)
        .map_err(|e| Answer::text(400, &format!("The request is wrong: {e}")))
}

/// Compares in the same time wherever the difference is.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

/// 128 random bits.
fn new_token() -> Result<String, String> {
    let mut bytes = [0; 16];
    let read = std::fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    read.map_err(|e| format!("the system has no random numbers: {e}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The result, or a message with status 422.
fn json<T: serde::Serialize>(result: Result<T, String>) -> Answer {
    match result.map(|value| serde_json::to_vec(&value)) {
        Ok(Ok(bytes)) => Answer::new(200, "application/json", bytes),
        Ok(Err(e)) => Answer::text(500, &e.to_string()),
        Err(why) => Answer::text(422, &why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::TcpStream;
    use std::sync::Arc;
    use std::time::Duration;

    struct Fake;

    impl Work for Fake {
        fn compile(&self, settings: &Settings) -> Result<Compilation, String> {
            match settings.lanes {
                Some(8) => Ok(Compilation { width: 8, ..Compilation::default() }),
                _ => Err("line 1: no".to_owned()),
            }
        }

        fn run(&self, request: &RunRequest, is_wanted: &dyn Fn() -> bool) -> Result<RunResult, String> {
            while request.repeat == 0 && is_wanted() {
                std::thread::sleep(Duration::from_millis(10));
            }
            Ok(RunResult { times_ms: vec![1.0; request.repeat as usize], ..RunResult::default() })
        }

        fn roofline(&self) -> Result<Roofline, String> {
            Ok(Roofline::default())
        }
    }

    fn start() -> Arc<Server> {
        let server = Arc::new(Server::bind(0, Page::default()).unwrap());
        let serving = server.clone();
        std::thread::spawn(move || serving.serve(&Fake));
        server
    }

    /// The answer to a request: its status and all of its text.
    fn ask(server: &Server, request: &str, headers: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(server.http.address).unwrap();
        let length = body.len();
        write!(
            stream,
            "{request} HTTP/1.1\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )
        .unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        (text.split(' ').nth(1).unwrap().parse().unwrap(), text)
    }

    #[test]
    fn only_the_token_opens_the_page() {
        let server = start();
        assert!(server.http.address.ip().is_loopback());
        let host = format!("Host: {}\r\n", server.http.address);
        let token = &server.token;
        let (status, text) = ask(&server, &format!("GET /?token={token}"), &host, "");
        assert_eq!(status, 200);
        assert!(text.contains("Content-Security-Policy: default-src 'none'"), "{}", &text[..600]);
        for wrong in ["/", "/?token=", "/?token=0123456789abcdef0123456789abcdef", "/api/roofline"] {
            assert_eq!(ask(&server, &format!("GET {wrong}"), &host, "").0, 403, "{wrong}");
        }
        assert_eq!(ask(&server, &format!("GET /../etc/passwd?token={token}"), &host, "").0, 404);
    }

    #[test]
    fn other_origins_are_refused() {
        let server = start();
        let page = format!("GET /?token={}", server.token);
        let (address, port) = (server.http.address, server.http.address.port());
        for headers in [
            String::new(),
            "Host: evil.example\r\n".to_owned(),
            format!("Host: evil.example:{port}\r\n"),
            format!("Host: {address}\r\nOrigin: http://evil.example\r\n"),
            format!("Host: {address}\r\nOrigin: null\r\n"),
        ] {
            assert_eq!(ask(&server, &page, &headers, "").0, 403, "{headers}");
        }
        let own = format!("Host: localhost:{port}\r\nOrigin: http://localhost:{port}\r\n");
        assert_eq!(ask(&server, &page, &own, "").0, 200);
    }

    #[test]
    fn requests_are_checked() {
        let server = start();
        let headers = format!("Host: {}\r\nX-Lanewise-Token: {}\r\n", server.http.address, server.token);
        let post = |path: &str, body: &str| ask(&server, &format!("POST {path}"), &headers, body);
        let (status, text) = post("/api/compile", r#"{"lanes": 8}"#);
        assert!(status == 200 && text.contains("\"width\":8"), "{text}");
        let (status, text) = post("/api/compile", "{}");
        assert!(status == 422 && text.ends_with("line 1: no"), "{text}");
        assert_eq!(post("/api/compile", r#"{"options": "-I/etc"}"#).0, 400);
        assert_eq!(post("/api/compile", &" ".repeat(100_000)).0, 413);
        let run = r#"{"settings": {}, "global": [8], "args": [], "repeat": 3}"#;
        assert!(post("/api/run", run).1.contains("[1.0,1.0,1.0]"));
        assert_eq!(post("/api/run", r#"{"path": "/etc/passwd"}"#).0, 400);
        assert_eq!(post("/api/banana", "{}").0, 404);
    }

    #[test]
    fn a_run_ends_with_its_client() {
        let server = start();
        let headers = format!("Host: {}\r\nX-Lanewise-Token: {}\r\n", server.http.address, server.token);
        let body = r#"{"settings": {}, "global": [8], "args": [], "repeat": 0}"#;
        let mut stream = TcpStream::connect(server.http.address).unwrap();
        let length = body.len();
        write!(stream, "POST /api/run HTTP/1.1\r\n{headers}Content-Length: {length}\r\n\r\n{body}").unwrap();
        stream.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
        assert!(stream.read(&mut [0]).is_err(), "it runs as long as somebody waits");
        drop(stream);
        // There is one place for runs: the next one waits for it.
        let body = r#"{"settings": {}, "global": [8], "args": [], "repeat": 2}"#;
        assert!(ask(&server, "POST /api/run", &headers, body).1.contains("[1.0,1.0]"));
    }

    /// What a client gets that sends these bytes and then waits.
    fn send(server: &Server, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(server.http.address).unwrap();
        // The server may have closed the connection before all of it is sent.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    #[test]
    fn what_strangers_send_ends_nothing() {
        let server = start();
        let host = format!("Host: {}\r\n", server.http.address);
        let huge = u64::MAX;
        let long = "a".repeat(1 << 20);
        for (request, status) in [
            // A body that is announced, and larger than all memory.
            (format!("POST /api/compile HTTP/1.1\r\n{host}Content-Length: {huge}\r\n\r\n"), 403),
            (format!("POST / HTTP/1.1\r\n{host}Content-Length: 9223372036854775808\r\n\r\n"), 403),
            (format!("POST / HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\nffffffff\r\n"), 403),
            (format!("GET /{long} HTTP/1.1\r\n{host}\r\n"), 431),
            (format!("GET / HTTP/1.1\r\n{host}{long}"), 431),
            (format!("GET / HTTP/1.1\r\n{host}{}\r\n", "A: b\r\n".repeat(200)), 431),
            (format!("GET / HTTP/1.1\r\n{host}{host}\r\n"), 403),
            ("GET / HTTP/1.1\r\n: \r\n\r\n".to_owned(), 400),
            ("\u{16}\u{3}\u{1}\u{2}".to_owned(), 400),
        ] {
            let answer = send(&server, request.as_bytes());
            let beginning: String = request.chars().take(60).collect();
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{beginning:?}: {answer:.100?}");
        }
        let headers = format!("{host}X-Lanewise-Token: {}\r\n", server.token);
        let sized = |length: &str| format!("POST /api/compile HTTP/1.1\r\n{headers}{length}\r\n");
        assert!(send(&server, sized("").as_bytes()).contains(" 411 "));
        assert!(send(&server, sized("Content-Length: -1\r\n").as_bytes()).contains(" 411 "));
        assert!(send(&server, sized(&format!("Content-Length: {huge}\r\n")).as_bytes()).contains(" 413 "));
        assert_eq!(ask(&server, &format!("GET /?token={}", server.token), &host, "").0, 200);
    }

    #[test]
    fn slow_clients_and_many_of_them_are_sent_away() {
        let server = start();
        let host = format!("Host: {}\r\n", server.http.address);
        let page = format!("GET /?token={} HTTP/1.1\r\n{host}\r\n", server.token);
        let mut slow: Vec<TcpStream> = Vec::new();
        for n in 0..200 {
            let mut stream = TcpStream::connect(server.http.address).unwrap();
            let _ = write!(stream, "{}", if n % 2 == 0 { "GET / HT" } else { "" });
            slow.push(stream);
        }
        // They hold all connections for some seconds, and no longer.
        let start = std::time::Instant::now();
        while !send(&server, page.as_bytes()).starts_with("HTTP/1.1 200 ") {
            assert!(start.elapsed().as_secs() < 60, "the server is not free again");
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        let mut answer = String::new();
        let _ = slow[0].read_to_string(&mut answer);
        assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    }
}
