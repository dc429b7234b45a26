//! HTTP/1.1 as far as the page needs it: one request a connection, and limits on all that a client
//! may use before it has shown its token.
//!
//! Whoever is on this computer can connect. A request that never ends, sends a byte now and then or
//! says that it is a terabyte long costs a thread for some seconds; more connections than
//! [`MOST_CONNECTIONS`] are turned away; and nothing that is sent ends the server.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Connections at once.
const MOST_CONNECTIONS: usize = 64;
/// The most bytes of a request line with its headers.
const MOST_HEAD: usize = 16 << 10;
/// The most headers of a request.
const MOST_HEADERS: usize = 64;
/// The most bytes of a request's body.
const MOST_BODY: usize = 64 << 10;
/// How long a client may take to send its head, and again its body.
const SENDING: Duration = Duration::from_secs(5);
/// How long a client may take none of an answer.
const RECEIVING: Duration = Duration::from_secs(30);
/// How long what a refused client still sends is read, so that it gets to read its answer.
const LEAVING: Duration = Duration::from_millis(500);

/// A request whose body is not read yet.
pub struct Request {
    pub method: String,
    /// The path with its query.
    pub url: String,
    headers: Vec<(String, String)>,
    stream: TcpStream,
    /// What was read beyond the head.
    rest: Vec<u8>,
}

/// An answer: status, headers and body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn new(status: u16, kind: &str, body: Vec<u8>) -> Answer {
        let headers = vec![
            ("Content-Type", kind.to_owned()),
            ("Cache-Control", "no-store".to_owned()),
            ("X-Content-Type-Options", "nosniff".to_owned()),
            ("Referrer-Policy", "no-referrer".to_owned()),
        ];
        Answer { status, headers, body }
    }

    pub fn text(status: u16, message: &str) -> Answer {
        Answer::new(status, "text/plain; charset=utf-8", message.as_bytes().to_vec())
    }

    pub fn with_header(mut self, name: &'static str, value: String) -> Answer {
        self.headers.push((name, value));
        self
    }

    fn write_to(&self, mut stream: &TcpStream) -> std::io::Result<()> {
        let mut head = format!("HTTP/1.1 {} {}\r\n", self.status, reason(self.status));
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += &format!("Content-Length: {}\r\nConnection: close\r\n\r\n", self.body.len());
        stream.set_write_timeout(Some(RECEIVING))?;
        stream.write_all(head.as_bytes())?;
        stream.write_all(&self.body)
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        408 => "Request Timeout",
        411 => "Length Required",
        413 => "Content Too Large",
        422 => "Unprocessable Content",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Internal Server Error",
    }
}

impl Request {
    /// Reads a head: the request line and the headers.
    fn read(stream: TcpStream) -> Result<Request, Answer> {
        let until = Instant::now() + SENDING;
        let mut bytes = Vec::new();
        loop {
            let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
            let mut head = httparse::Request::new(&mut headers);
            match head.parse(&bytes) {
                Ok(httparse::Status::Complete(length)) => {
                    let method = head.method.unwrap_or_default().to_owned();
                    let url = head.path.unwrap_or_default().to_owned();
                    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
                    let headers = head.headers.iter().map(|h| (h.name.to_owned(), text(h.value))).collect();
                    let rest = bytes.split_off(length);
                    return Ok(Request { method, url, headers, stream, rest });
                }
                Ok(httparse::Status::Partial) if bytes.len() < MOST_HEAD => {}
                Ok(_) | Err(httparse::Error::TooManyHeaders) => {
                    return Err(Answer::text(431, "The request's head is too large."));
                }
                Err(e) => return Err(Answer::text(400, &format!("This is no request: {e}"))),
            }
            read_some(&stream, &mut bytes, MOST_HEAD, until)?;
        }
    }

    /// A header's value; of one that is there twice, none.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut own = self.headers.iter().filter(|(own, _)| own.eq_ignore_ascii_case(name));
        let first = own.next()?;
        own.next().is_none().then_some(first.1.as_str())
    }

    /// Whether the client still waits for its answer.
    pub fn is_open(&self) -> bool {
        if self.stream.set_nonblocking(true).is_err() {
            return false;
        }
        let seen = self.stream.peek(&mut [0]);
        let is_waiting = seen.as_ref().is_err_and(|e| e.kind() == std::io::ErrorKind::WouldBlock);
        let is_blocking = self.stream.set_nonblocking(false).is_ok();
        is_blocking && (is_waiting || seen.is_ok_and(|count| count > 0))
    }

    /// Reads the body.
    pub fn body(&mut self) -> Result<Vec<u8>, Answer> {
        let wrong = || Answer::text(411, "The request does not say how long it is.");
        let length = self.header("Content-Length").ok_or_else(wrong)?;
        let length = length.parse::<u64>().map_err(|_| wrong())?;
        let length = usize::try_from(length).ok().filter(|length| *length <= MOST_BODY);
        let length = length.ok_or_else(|| Answer::text(413, "The request is too large."))?;
        let until = Instant::now() + SENDING;
        let mut bytes = std::mem::take(&mut self.rest);
        while bytes.len() < length {
            read_some(&self.stream, &mut bytes, length, until)?;
        }
        bytes.truncate(length);
        Ok(bytes)
    }
}

/// Reads at least one byte, up to `most` in all, until an instant.
fn read_some(mut stream: &TcpStream, to: &mut Vec<u8>, most: usize, until: Instant) -> Result<(), Answer> {
    let late = || Answer::text(408, "The request takes too long.");
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(late());
    }
    stream.set_read_timeout(Some(left)).map_err(|_| late())?;
    let mut buffer = [0; 4096];
    let wanted = (most - to.len()).min(buffer.len());
    match stream.read(&mut buffer[..wanted]) {
        Ok(0) | Err(_) => Err(late()),
        Ok(count) => {
            to.extend_from_slice(&buffer[..count]);
            Ok(())
        }
    }
}

/// A socket of the loopback address.
pub struct Listener {
    listener: TcpListener,
    pub address: SocketAddr,
    connections: AtomicUsize,
}

/// A connection that counts.
struct Connection<'a>(&'a AtomicUsize);

impl Drop for Connection<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Listener {
    /// Listens on the loopback address; on any port if it is 0.
    pub fn bind(port: u16) -> Result<Listener, String> {
        let wrong = |e| format!("cannot listen on 127.0.0.1:{port}: {e}");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(wrong)?;
        let address = listener.local_addr().map_err(wrong)?;
        Ok(Listener { listener, address, connections: AtomicUsize::new(0) })
    }

    /// Answers until the process ends, each connection on a thread of its own.
    pub fn serve(&self, reply: &(dyn Fn(&mut Request) -> Answer + Sync)) {
        std::thread::scope(|scope| {
            loop {
                let Ok((stream, _)) = self.listener.accept() else {
                    // No more files or memory: there may be some again.
                    std::thread::sleep(Duration::from_millis(50));
                    continue;
                };
                let connection = Connection(&self.connections);
                if self.connections.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
                    // It fits what the system keeps for a new connection: this does not wait.
                    let full = Answer::text(503, "There are too many connections.");
                    let _ = full.write_to(&stream);
                    continue;
                }
                let answer = move || {
                    let _connection = connection;
                    answer(stream, reply);
                };
                // Where no thread can be had the connection is closed.
                let _ = std::thread::Builder::new().spawn_scoped(scope, answer);
            }
        });
    }
}

/// Answers a connection's request, and closes it.
fn answer(stream: TcpStream, reply: &(dyn Fn(&mut Request) -> Answer + Sync)) {
    let Ok(to) = stream.try_clone() else { return };
    let answer = match Request::read(stream) {
        Ok(mut request) => reply(&mut request),
        Err(refused) => refused,
    };
    // A browser that has gone away needs no answer.
    if answer.write_to(&to).is_err() || to.shutdown(Shutdown::Write).is_err() {
        return;
    }
    // To close a connection with bytes that nobody read would take the answer away from the client.
    let (until, mut rest) = (Instant::now() + LEAVING, Vec::new());
    while read_some(&to, &mut rest, 4096, until).is_ok() {
        rest.clear();
    }
}
