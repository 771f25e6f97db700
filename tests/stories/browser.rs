//! A headless Chromium, driven over a pipe by its own protocol: what a page does in a reader's browser.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Its names in distributions.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// A browser with one page in it.
pub(crate) struct Browser {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    session: Option<String>,
    last_id: u64,
    /// Events since the page was opened: its messages and requests.
    events: Vec<Value>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts a browser. It reaches this machine alone; requests of a page are seen all the same.
    pub(crate) fn start() -> Self {
        let profile = tempfile::tempdir().unwrap();
        let program = NAMES.iter().find(|name| {
            let folders = std::env::var_os("PATH").unwrap_or_default();
            std::env::split_paths(&folders).any(|folder| folder.join(name).is_file())
        });
        let program = program.expect("no Chromium is installed; `bash tests/servers` installs it");
        // By the protocol the pipes are descriptors 3 and 4. A shell sets them up.
        let mut command = Command::new("sh");
        command.args(["-c", r#"exec "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#, "sh", program]);
        command.args([
            "--headless=new",
            "--remote-debugging-pipe",
            "--disable-gpu",
            "--no-first-run",
            "--disable-extensions",
        ]);
        command.args([
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            // A test goes through hundreds of addresses of one page.
            "--disable-ipc-flooding-protection",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        ]);
        if rustix::process::geteuid().is_root() {
            // The sandbox refuses to run as root, as in containers and on some test machines.
            command.arg("--no-sandbox");
        }
        command.arg(format!("--user-data-dir={}", profile.path().display()));
        let mut child =
            command.env("HOME", profile.path()).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut browser = Self { child, to, from, session: None, last_id: 0, events: Vec::new(), _profile: profile };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let session = browser.call("Target.attachToTarget", json!({"targetId": target["targetId"], "flatten": true}));
        browser.session = Some(session["sessionId"].as_str().unwrap().to_owned());
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    /// The next message of the protocol.
    fn next(&mut self) -> Value {
        let mut bytes = Vec::new();
        self.from.read_until(0, &mut bytes).unwrap();
        assert_eq!(bytes.pop(), Some(0), "Chromium has ended: {}", String::from_utf8_lossy(&bytes));
        serde_json::from_slice(&bytes).unwrap()
    }

    /// Calls a method and returns its result.
    #[track_caller]
    pub(crate) fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.last_id += 1;
        let mut message = json!({"id": self.last_id, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = serde_json::to_vec(&message).unwrap();
        bytes.push(0);
        self.to.write_all(&bytes).unwrap();
        self.to.flush().unwrap();
        loop {
            let message = self.next();
            if message["id"] == self.last_id {
                assert!(message.get("error").is_none(), "{method}: {}", message["error"]);
                return message["result"].clone();
            }
            self.events.push(message);
        }
    }

    /// Opens a file in a window of this width, and waits until it is loaded.
    #[track_caller]
    pub(crate) fn open(&mut self, file: &Path, width: u32) {
        self.open_url(&format!("file://{}", file.display()), width);
    }

    /// The same with an address.
    #[track_caller]
    pub(crate) fn open_url(&mut self, url: &str, width: u32) {
        self.events.clear();
        self.resize(width);
        self.call("Page.navigate", json!({"url": url}));
        while !self.events.iter().any(|e| e["method"] == "Page.loadEventFired") {
            let message = self.next();
            self.events.push(message);
        }
    }

    /// Sets the width of the window.
    #[track_caller]
    pub(crate) fn resize(&mut self, width: u32) {
        let screen = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", screen);
    }

    /// The value of an expression in the page.
    #[track_caller]
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let result = self
            .call("Runtime.evaluate", json!({"expression": expression, "returnByValue": true, "awaitPromise": true}));
        assert!(result.get("exceptionDetails").is_none(), "{expression}: {}", result["exceptionDetails"]);
        result["result"]["value"].clone()
    }

    /// Moves the pointer.
    #[track_caller]
    pub(crate) fn point_at(&mut self, x: f64, y: f64) {
        self.call("Input.dispatchMouseEvent", json!({"type": "mouseMoved", "x": x, "y": y}));
    }

    /// The page's errors, warnings and refusals by its policy.
    pub(crate) fn complaints(&self) -> Vec<&Value> {
        let complaint = |e: &&Value| {
            let kind = e["params"]["type"].as_str().unwrap_or_default();
            let level = e["params"]["entry"]["level"].as_str().unwrap_or_default();
            match e["method"].as_str().unwrap_or_default() {
                "Runtime.exceptionThrown" => true,
                "Runtime.consoleAPICalled" => ["error", "warning", "assert"].contains(&kind),
                "Log.entryAdded" => ["error", "warning"].contains(&level),
                _ => false,
            }
        };
        self.events.iter().filter(complaint).collect()
    }

    /// Every request, including the page itself.
    pub(crate) fn requests(&self) -> Vec<&str> {
        let requests = self.events.iter().filter(|e| e["method"] == "Network.requestWillBeSent");
        requests.filter_map(|e| e["params"]["request"]["url"].as_str()).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // A browser that is told to end does so; one that does not react is killed.
        self.last_id += 1;
        let close = format!("{{\"id\":{},\"method\":\"Browser.close\"}}\0", self.last_id);
        if self.to.write_all(close.as_bytes()).and_then(|()| self.to.flush()).is_err() {
            _ = self.child.kill();
        }
        _ = self.child.wait();
    }
}
