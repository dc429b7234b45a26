//! The server of the page: on the loopback address, for whoever knows its token.
//!
//! Any program of this computer can reach the loopback address, and so can any web page in the
//! user's browser. Both lack the token, which is in the URL that only the user sees. A page that
//! gives its own name to 127.0.0.1 (DNS rebinding) is told by its `Host`. The page sends settings
//! and sizes, never
//! a path or build options, so that it cannot make the compiler read a file.

use std::io::{Cursor, Read};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Condvar, Mutex, PoisonError};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use tiny_http::{Header, Method, Request, Response, Server as Http, StatusCode};

use crate::model::Settings;
use crate::{Compilation, Page, Roofline, RunResult, page};

/// The most bytes of a request's body.
const MOST_BYTES: u64 = 64 << 10;
/// Requests that are answered at once.
const THREADS: usize = 4;
/// Compilations at once.
const COMPILATIONS: usize = 2;

/// What the server does for the page.
pub trait Work: Sync {
    fn compile(&self, settings: &Settings) -> Result<Compilation, String>;
    fn run(&self, request: &RunRequest) -> Result<RunResult, String>;
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
    http: Http,
    address: SocketAddr,
    token: String,
    page: Mutex<Page>,
    compilations: Slots,
    /// One run at a time: two would measure each other.
    runs: Slots,
}

impl Server {
    /// Listens on the loopback address; on any port if it is 0.
    pub fn bind(port: u16, page: Page) -> Result<Server, String> {
        let http = Http::http((Ipv4Addr::LOCALHOST, port))
            .map_err(|e| format!("cannot listen on 127.0.0.1:{port}: {e}"))?;
        let address = http.server_addr().to_ip().ok_or("the server has no address")?;
        Ok(Server {
            http,
            address,
            token: new_token()?,
            page: Mutex::new(page),
            compilations: Slots::new(COMPILATIONS),
            runs: Slots::new(1),
        })
    }

    /// The address of the page, with its token.
    pub fn url(&self) -> String {
        format!("http://{}/?token={}", self.address, self.token)
    }

    /// Answers until the process ends.
    pub fn serve(&self, work: &dyn Work) {
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    while let Ok(request) = self.http.recv() {
                        self.answer(request, work);
                    }
                });
            }
        });
    }

    fn answer(&self, mut request: Request, work: &dyn Work) {
        let answer = self.reply(&mut request, work).unwrap_or_else(|refused| refused);
        // A browser that has gone away needs no answer.
        let _ = request.respond(answer);
    }

    fn reply(&self, request: &mut Request, work: &dyn Work) -> Result<Answer, Answer> {
        let url = request.url().to_owned();
        let (path, query) = url.split_once('?').unwrap_or((&url, ""));
        self.check_origin(request)?;
        let token = header(request, "X-Lanewise-Token").map(str::to_owned);
        let token = token.or_else(|| query.strip_prefix("token=").map(str::to_owned));
        if !token.is_some_and(|token| same(&token, &self.token)) {
            return Err(text(
                403,
                "The address lacks its token: open the one that `lanewise explore` printed.",
            ));
        }
        match (request.method(), path) {
            (Method::Get, "/") => {
                let page = self.page.lock().unwrap_or_else(PoisonError::into_inner);
                let nonce = new_token().map_err(|e| text(500, &e))?;
                let html = page::html(&page, Some(&nonce));
                let policy = format!(
                    "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'unsafe-inline'; connect-src \
                    'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
                );
                let answer = with_type(200, html.into_bytes(), "text/html; charset=utf-8");
                Ok(answer.with_header(field("Content-Security-Policy", &policy)))
            }
            (Method::Get, "/api/roofline") => {
                let _slot = self.runs.take();
                Ok(json(work.roofline()))
            }
            (Method::Post, "/api/compile") => {
                let settings: Settings = body(request)?;
                let _slot = self.compilations.take();
                let compiled = work.compile(&settings);
                if let Ok(compilation) = &compiled {
                    // A reload shows what was shown last.
                    let mut page = self.page.lock().unwrap_or_else(PoisonError::into_inner);
                    page.compilation = compilation.clone();
                }
                Ok(json(compiled))
            }
            (Method::Post, "/api/run") => {
                let wanted: RunRequest = body(request)?;
                let _slot = self.runs.take();
                Ok(json(work.run(&wanted)))
            }
            _ => Err(text(404, "There is no such page.")),
        }
    }

    /// Refuses requests that a page of another origin makes.
    fn check_origin(&self, request: &Request) -> Result<(), Answer> {
        let port = self.address.port();
        let own = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
        let host = header(request, "Host").unwrap_or_default();
        let is_own = |host: &str| own.iter().any(|name| name == host);
        let origin = header(request, "Origin");
        if !is_own(host) || origin.is_some_and(|origin| !origin.strip_prefix("http://").is_some_and(is_own)) {
            return Err(text(403, "This server answers its own page only."));
        }
        Ok(())
    }
}

type Answer = Response<Cursor<Vec<u8>>>;

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

fn header<'a>(request: &'a Request, name: &'static str) -> Option<&'a str> {
    request.headers().iter().find(|header| header.field.equiv(name)).map(|header| header.value.as_str())
}

/// The JSON of a request.
fn body<T: DeserializeOwned>(request: &mut Request) -> Result<T, Answer> {
    let mut bytes = Vec::new();
    let read = request.as_reader().take(MOST_BYTES + 1).read_to_end(&mut bytes);
    if read.is_err() || bytes.len() as u64 > MOST_BYTES {
        return Err(text(413, "The request is too large."));
    }
    serde_json::from_slice(&bytes).map_err(|e| text(400, &format!("The request is wrong: {e}")))
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

fn field(name: &str, value: &str) -> Header {
    Header::from_bytes(name, value).expect("names and values are ASCII")
}

fn with_type(status: u16, bytes: Vec<u8>, kind: &str) -> Answer {
    Response::from_data(bytes)
        .with_status_code(StatusCode(status))
        .with_header(field("Content-Type", kind))
        .with_header(field("Cache-Control", "no-store"))
        .with_header(field("X-Content-Type-Options", "nosniff"))
        .with_header(field("Referrer-Policy", "no-referrer"))
}

fn text(status: u16, message: &str) -> Answer {
    with_type(status, message.as_bytes().to_vec(), "text/plain; charset=utf-8")
}

/// The result, or a message with status 422.
fn json<T: serde::Serialize>(result: Result<T, String>) -> Answer {
    match result.map(|value| serde_json::to_vec(&value)) {
        Ok(Ok(bytes)) => with_type(200, bytes, "application/json"),
        Ok(Err(e)) => text(500, &e.to_string()),
        Err(why) => text(422, &why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::TcpStream;
    use std::sync::Arc;

    struct Fake;

    impl Work for Fake {
        fn compile(&self, settings: &Settings) -> Result<Compilation, String> {
            match settings.lanes {
                Some(8) => Ok(Compilation { width: 8, ..Compilation::default() }),
                _ => Err("line 1: no".to_owned()),
            }
        }

        fn run(&self, request: &RunRequest) -> Result<RunResult, String> {
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
        let mut stream = TcpStream::connect(server.address).unwrap();
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
        assert!(server.address.ip().is_loopback());
        let host = format!("Host: {}\r\n", server.address);
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
        let (address, port) = (server.address, server.address.port());
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
        let headers = format!("Host: {}\r\nX-Lanewise-Token: {}\r\n", server.address, server.token);
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
}
