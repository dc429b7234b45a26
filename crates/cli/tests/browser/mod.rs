//! Chromium without a window, driven by the DevTools protocol.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Browser {
    process: Child,
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    session: String,
    next: u64,
    /// The messages that answered nothing.
    events: Vec<Value>,
    profile: PathBuf,
}

impl Browser {
    /// A browser with an empty page. `folder` is for its files.
    pub fn start(folder: &Path) -> Browser {
        let profile = folder.join("profile");
        let mut process = Command::new("chromium")
            // A container's root has no other way; the pages are our own.
            .args([
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
            ])
            .args([
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-quic",
                "--disable-sync",
                "--remote-debugging-port=0",
            ])
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg("about:blank")
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("chromium is not there: `scripts/setup.sh lint` installs it");
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let url = lines
            .find_map(|line| line.unwrap().strip_prefix("DevTools listening on ").map(str::to_owned))
            .expect("chromium did not start");
        // What else it says must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        let (socket, _) = tungstenite::connect(url).unwrap();
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
        }
        let mut browser =
            Browser { process, socket, session: String::new(), next: 0, events: Vec::new(), profile };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}))["targetId"].clone();
        let attached = browser.call("Target.attachToTarget", json!({"targetId": target, "flatten": true}));
        browser.session = attached["sessionId"].as_str().unwrap().to_owned();
        for domain in ["Page", "Runtime", "Network", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        // Times of the thread, not of the clock.
        browser.call("Performance.enable", json!({"timeDomain": "threadTicks"}));
        browser
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        let mut message = json!({"id": id, "method": method, "params": params});
        if !self.session.is_empty() {
            message["sessionId"] = self.session.clone().into();
        }
        self.socket.send(Message::text(message.to_string())).unwrap();
        loop {
            let Message::Text(text) = self.socket.read().unwrap_or_else(|e| panic!("{method}: {e}")) else {
                continue;
            };
            let mut answer: Value = serde_json::from_str(&text).unwrap();
            if answer["id"] != id {
                self.events.push(answer);
                continue;
            }
            assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
            return answer["result"].take();
        }
    }

    /// The size of the window, and whether the system is dark.
    pub fn window(&mut self, width: u32, height: u32, dark: bool) {
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", metrics);
        let value = if dark { "dark" } else { "light" };
        let features = json!([{"name": "prefers-color-scheme", "value": value}]);
        self.call("Emulation.setEmulatedMedia", json!({"features": features}));
    }

    /// Opens a page and waits until it is ready: how long that took.
    pub fn open(&mut self, url: &str) -> Duration {
        let start = Instant::now();
        self.call("Page.navigate", json!({"url": url}));
        self.wait("document.documentElement?.dataset.ready === 'yes'");
        start.elapsed()
    }

    /// The value of an expression, or of what it promises.
    pub fn eval(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let result = self.call("Runtime.evaluate", params);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {}", result["exceptionDetails"]);
        result["result"]["value"].clone()
    }

    pub fn text(&mut self, expression: &str) -> String {
        self.eval(expression).as_str().unwrap_or_default().to_owned()
    }

    pub fn number(&mut self, expression: &str) -> f64 {
        self.eval(expression).as_f64().unwrap_or_else(|| panic!("{expression} is no number"))
    }

    /// Waits until an expression is true.
    pub fn wait(&mut self, condition: &str) {
        let start = Instant::now();
        while self.eval(&format!("Boolean({condition})")) != true {
            assert!(
                start.elapsed() < PATIENCE,
                "never: {condition}\n{}",
                self.text("document.body.innerText")
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The middle of the first element that a selector finds, or of `start` pixels from its left.
    fn place(&mut self, element: &str, start: Option<f64>) -> (f64, f64) {
        let found = self.eval(&format!(
            "(() => {{ const r = ({element}).getBoundingClientRect(); return [r.left, r.top, r.width, \
            r.height]; }})()"
        ));
        let [left, top, width, height] = [0, 1, 2, 3].map(|n| found[n].as_f64().unwrap());
        (left + start.unwrap_or(width / 2.0), top + height / 2.0)
    }

    /// Points at an element, near its left end, as text is.
    pub fn point_at(&mut self, element: &str) {
        let (x, y) = self.place(element, Some(30.0));
        self.call("Input.dispatchMouseEvent", json!({"type": "mouseMoved", "x": x, "y": y}));
    }

    pub fn click(&mut self, element: &str) {
        let (x, y) = self.place(element, None);
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Presses a key that has a character.
    pub fn key(&mut self, key: &str) {
        let named = key.chars().count() > 1;
        let text = if named { "" } else { key };
        let kind = if named { "rawKeyDown" } else { "keyDown" };
        let code = match key {
            "ArrowDown" => 40,
            "ArrowUp" => 38,
            _ => 0,
        };
        let down = json!({"type": kind, "key": key, "text": text, "windowsVirtualKeyCode": code});
        self.call("Input.dispatchKeyEvent", down);
        self.call("Input.dispatchKeyEvent", json!({"type": "keyUp", "key": key}));
    }

    /// Chooses a value of a `select`, or writes into an `input`, as a user does.
    pub fn choose(&mut self, id: &str, value: &str) {
        self.eval(&format!(
            "(() => {{ const e = document.getElementById('{id}'); e.value = '{value}'; \
             e.dispatchEvent(new Event('change', {{bubbles: true}})); }})()"
        ));
    }

    /// How long the page's thread has worked since it was opened.
    pub fn busy(&mut self) -> Duration {
        let metrics = self.call("Performance.getMetrics", json!({}));
        let all = metrics["metrics"].as_array().unwrap();
        let task = all.iter().find(|metric| metric["name"] == "TaskDuration").unwrap();
        Duration::from_secs_f64(task["value"].as_f64().unwrap())
    }

    /// Writes a picture of the window.
    pub fn screenshot(&mut self, path: &Path) {
        let result = self.call("Page.captureScreenshot", json!({"format": "png"}));
        std::fs::write(path, from_base64(result["data"].as_str().unwrap())).unwrap();
    }

    /// What went wrong on the page so far, and what it fetched from elsewhere.
    pub fn complaints(&mut self) -> Vec<String> {
        self.eval("0");
        let told = |event: &Value| match event["method"].as_str()? {
            "Runtime.exceptionThrown" => Some(event["params"]["exceptionDetails"].to_string()),
            "Log.entryAdded" if event["params"]["entry"]["level"] == "error" => {
                Some(event["params"]["entry"]["text"].to_string())
            }
            "Network.requestWillBeSent" => {
                let url = event["params"]["request"]["url"].as_str()?;
                let is_ours =
                    ["http://127.0.0.1:", "file:", "data:", "about:"].iter().any(|own| url.starts_with(own));
                (!is_ours).then(|| format!("it fetched {url}"))
            }
            _ => None,
        };
        self.events.iter().filter_map(told).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}

fn from_base64(text: &str) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => Some(c - b'A'),
        b'a'..=b'z' => Some(c - b'a' + 26),
        b'0'..=b'9' => Some(c - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let digits: Vec<u8> = text.bytes().filter_map(digit).collect();
    let group = |group: &[u8]| {
        let bits = group.iter().fold(0u32, |bits, d| bits << 6 | u32::from(*d)) << (6 * (4 - group.len()));
        bits.to_be_bytes()[1..group.len()].to_vec()
    };
    digits.chunks(4).flat_map(group).collect()
}
