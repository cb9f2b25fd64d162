//! Headless Chromium, driven over the pipe of its DevTools protocol: the pages as a person sees and uses them.

use super::skipped;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Time after which an unresponsive browser is abandoned.
const PATIENCE: Duration = Duration::from_secs(120);
/// Frames are 40 ms apart for the page, however long they take: what it plays does not depend on the machine's speed.
const CLOCK: &str = "(() => {
    const request = window.requestAnimationFrame.bind(window);
    let frame = 0, seen = null;
    window.requestAnimationFrame = (callback) => request((now) => {
        if (now !== seen) [frame, seen] = [frame + 1, now];
        callback(40 * frame);
    });
})()";
/// Programs to search in `PATH`.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// The window of a visit.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Name of its screenshots.
    pub name: &'static str,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// A phone: fingers instead of a mouse, and dark colours.
    pub is_phone: bool,
    /// True if WebGL is available.
    pub has_webgl: bool,
}

/// A browser with one page.
pub struct Browser {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    last_id: u64,
    session: Option<String>,
    window: Window,
    faults: Vec<String>,
    _profile: TempDir,
}

/// The program: the one in `CHROMIUM`, or the first of [`NAMES`] in `PATH`. Without one the test is reported as
/// skipped.
#[track_caller]
pub fn program() -> Option<PathBuf> {
    let named = std::env::var_os("CHROMIUM").filter(|name| !name.is_empty()).map(PathBuf::from);
    let found = named.or_else(|| {
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path).flat_map(|folder| NAMES.map(|name| folder.join(name))).find(|file| file.is_file())
    });
    if found.is_none() {
        skipped::report("no Chromium in PATH, and CHROMIUM names none");
    }
    found
}

impl Browser {
    /// Starts the program and opens a file.
    pub fn open(program: &Path, page: &Path, window: Window) -> Self {
        let profile = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        // The protocol uses the descriptors 3 and 4; the browser's output is discarded.
        command.args(["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", "sh"]).arg(program);
        command.args(["--headless", "--no-sandbox", "--no-first-run", "--remote-debugging-pipe", "--hide-scrollbars"]);
        command.args(["--disable-background-networking", "--disable-component-update", "--disable-sync"]);
        command.args(["--disable-quic", "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND"]);
        // On a machine under load a process of the browser may wait for seconds: it is not restarted or throttled.
        command.args(["--disable-gpu-watchdog", "--disable-hang-monitor", "--disable-renderer-backgrounding"]);
        command.args(["--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows"]);
        if window.has_webgl {
            command.args(["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]);
        } else {
            command.args(["--disable-gpu", "--disable-3d-apis"]);
        }
        command.arg(format!("--user-data-dir={}", profile.path().display())).arg("about:blank");
        command.env("HOME", profile.path()).env("XDG_RUNTIME_DIR", profile.path());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (to, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (send, from) = mpsc::channel();
        std::thread::spawn(move || {
            for message in BufReader::new(stdout).split(0).map_while(Result::ok) {
                if serde_json::from_slice(&message).is_ok_and(|message: Value| send.send(message).is_err()) {
                    break;
                }
            }
        });
        let faults = Vec::new();
        let mut browser = Self { child, to, from, last_id: 0, session: None, window, faults, _profile: profile };
        browser.attach();
        browser.navigate(page);
        browser
    }

    fn attach(&mut self) {
        let targets = self.call("Target.getTargets", json!({}));
        let target = targets["targetInfos"].as_array().unwrap().iter().find(|t| t["type"] == "page").unwrap();
        let attached = self.call("Target.attachToTarget", json!({"targetId": target["targetId"], "flatten": true}));
        self.session = Some(attached["sessionId"].as_str().unwrap().to_string());
        for domain in ["Page", "Runtime", "Log", "Network"] {
            self.call(&format!("{domain}.enable"), json!({}));
        }
        let Window { width, height, is_phone, .. } = self.window;
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_phone});
        self.call("Emulation.setDeviceMetricsOverride", metrics);
        self.call("Emulation.setTouchEmulationEnabled", json!({"enabled": is_phone, "maxTouchPoints": 1}));
        let scheme = if is_phone { "dark" } else { "light" };
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.call("Emulation.setEmulatedMedia", features);
        self.call("Page.addScriptToEvaluateOnNewDocument", json!({"source": CLOCK}));
    }

    fn navigate(&mut self, page: &Path) {
        let address = format!("file://{}", page.canonicalize().unwrap().display());
        self.call("Page.navigate", json!({"url": address}));
        self.wait_for("document.readyState === 'complete' && location.protocol === 'file:'");
    }

    /// Sends a command and waits for its result.
    fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.last_id += 1;
        let mut message = json!({"id": self.last_id, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let answer = self.from.recv_timeout(PATIENCE);
            let mut answer = answer.unwrap_or_else(|e| panic!("{method}: the browser does not answer: {e}"));
            if answer["id"] == self.last_id {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].take();
            }
            self.note(&answer);
        }
    }

    /// Records errors, warnings and requests.
    fn note(&mut self, event: &Value) {
        let parameters = &event["params"];
        let fault = match event["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" => Some(parameters["exceptionDetails"].to_string()),
            "Runtime.consoleAPICalled" if ["error", "warning", "assert"].iter().any(|t| parameters["type"] == *t) => {
                Some(parameters["args"].to_string())
            }
            "Log.entryAdded" if ["error", "warning"].iter().any(|level| parameters["entry"]["level"] == *level) => {
                Some(parameters["entry"].to_string())
            }
            "Network.requestWillBeSent" => {
                let address = parameters["request"]["url"].as_str().unwrap_or_default();
                let is_local = ["file:", "data:", "blob:"].iter().any(|scheme| address.starts_with(scheme));
                (!is_local).then(|| format!("request of {address}"))
            }
            _ => None,
        };
        // Software drivers warn of reads that stall; a browser without WebGL reports that it has none.
        let is_of_driver = |text: &String| text.contains("GL Driver Message") || text.contains("GPU stall");
        let is_expected = |text: &String| is_of_driver(text) || !self.window.has_webgl && text.contains("WebGL");
        self.faults.extend(fault.filter(|text| !is_expected(text)));
    }

    /// The value of an expression, or of its promise if it is one.
    pub fn eval(&mut self, expression: &str) -> Value {
        let parameters = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let mut result = self.call("Runtime.evaluate", parameters);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {}", result["exceptionDetails"]);
        result["result"]["value"].take()
    }

    /// Waits until an expression is true, evaluated once per frame.
    pub fn wait_for(&mut self, condition: &str) {
        let since = Instant::now();
        while self.eval(&format!("!!({condition})")) != true {
            assert!(since.elapsed() < PATIENCE, "{}: never true: {condition}", self.window.name);
            self.frames(1);
        }
    }

    /// Waits for frames of the page.
    pub fn frames(&mut self, n: usize) {
        let frame = "new Promise((done) => requestAnimationFrame(() => done(true)))";
        (0..n).for_each(|_| assert_eq!(self.eval(frame), true));
    }

    /// The middle of the element of a selector, scrolled into view.
    fn middle(&mut self, selector: &str) -> [f64; 2] {
        let selector = Value::from(selector);
        let place = self.eval(&format!(
            "(() => {{ const e = document.querySelector({selector}); e.scrollIntoView({{block: 'center'}}); \
             const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; }})()"
        ));
        [0, 1].map(|k| place[k].as_f64().unwrap())
    }

    /// Clicks or taps the element of a selector. On a machine under load a tap may last so long that the browser takes
    /// it for a press, which is no click: then it is repeated.
    pub fn click(&mut self, selector: &str) {
        let at = self.middle(selector);
        let is_received = (0..10).any(|_| self.strokes(&[at], "click"));
        assert!(is_received, "{}: no click on {selector}", self.window.name);
    }

    /// Drags with the mouse or a finger from the middle of the element of a selector.
    pub fn drag(&mut self, selector: &str, [dx, dy]: [f64; 2]) {
        let [x, y] = self.middle(selector);
        let places = [0.0, 0.5, 1.0].map(|share| [x + share * dx, y + share * dy]);
        assert!(self.strokes(&places, "pointerup"), "{}: no drag of {selector}", self.window.name);
    }

    /// Presses, moves along places, releases, and waits until the page has received the event: that of a tap occurs
    /// later than the end of the touch. Returns false if the page does not receive it within ten seconds.
    fn strokes(&mut self, places: &[[f64; 2]], event: &str) -> bool {
        let listen =
            format!("addEventListener('{event}', () => {{ window.had = true; }}, {{ once: true, capture: true }})");
        self.eval(&format!("window.had = false; {listen}"));
        let (first, last) = (places[0], places[places.len() - 1]);
        if self.window.is_phone {
            let touch = |[x, y]: [f64; 2]| json!([{"x": x, "y": y}]);
            self.call("Input.dispatchTouchEvent", json!({"type": "touchStart", "touchPoints": touch(first)}));
            for &at in &places[1..] {
                self.call("Input.dispatchTouchEvent", json!({"type": "touchMove", "touchPoints": touch(at)}));
            }
            self.call("Input.dispatchTouchEvent", json!({"type": "touchEnd", "touchPoints": []}));
        } else {
            let mut mouse = |kind: &str, [x, y]: [f64; 2]| {
                let buttons = u8::from(kind != "mouseReleased");
                let event =
                    json!({"type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1});
                self.call("Input.dispatchMouseEvent", event);
            };
            mouse("mousePressed", first);
            places[1..].iter().for_each(|&at| mouse("mouseMoved", at));
            mouse("mouseReleased", last);
        }
        let since = Instant::now();
        while self.eval("window.had") != true {
            if since.elapsed() > Duration::from_secs(10) {
                return false;
            }
            self.frames(1);
        }
        true
    }

    /// Presses a key in the element of a selector.
    pub fn key(&mut self, selector: &str, key: &str) {
        let selector = Value::from(selector);
        self.eval(&format!("document.querySelector({selector}).focus()"));
        for kind in ["rawKeyDown", "keyUp"] {
            self.call("Input.dispatchKeyEvent", json!({"type": kind, "key": key}));
        }
    }

    /// The first picture that satisfies a condition, or else the last one before patience ends: drawings reach the
    /// screen later than the page requests them, and on a machine under load much later.
    pub fn picture_when(&mut self, selector: &str, is_expected: impl Fn(&Picture) -> bool) -> Picture {
        let since = Instant::now();
        loop {
            let picture = self.picture(Some(selector));
            if is_expected(&picture) || since.elapsed() > PATIENCE / 4 {
                return picture;
            }
        }
    }

    /// A picture of the element of a selector as shown on the screen, or of the whole window.
    pub fn picture(&mut self, selector: Option<&str>) -> Picture {
        self.frames(2);
        let mut parameters = json!({"format": "png"});
        if let Some(selector) = selector {
            let [x, y] = self.middle(selector);
            let selector = Value::from(selector);
            let size = self.eval(&format!(
                "(() => {{ const r = document.querySelector({selector}).getBoundingClientRect(); \
                 return [r.width, r.height, scrollX, scrollY]; }})()"
            ));
            let [width, height, left, top] = [0, 1, 2, 3].map(|k| size[k].as_f64().unwrap());
            let corner = [left + x - width / 2.0, top + y - height / 2.0];
            let clip = json!({"x": corner[0], "y": corner[1], "width": width, "height": height, "scale": 1});
            parameters["clip"] = clip;
            self.frames(2);
        }
        let shot = self.call("Page.captureScreenshot", parameters);
        Picture::decode(&BASE64_STANDARD.decode(shot["data"].as_str().unwrap()).unwrap())
    }

    /// Saves a picture of the whole window, for people, in the folder given by `FIRSTCONTACT_SCREENSHOTS`.
    pub fn keep_picture(&mut self, name: &str) {
        if let Some(folder) = std::env::var_os("FIRSTCONTACT_SCREENSHOTS") {
            let name = format!("{name}-{}.png", self.window.name);
            let png = self.picture(None).png;
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(PathBuf::from(folder).join(name), png).unwrap();
        }
    }

    /// Errors, warnings and requests so far.
    pub fn faults(&mut self) -> Vec<String> {
        // Pending events arrive before the answer to a call.
        self.eval("0");
        self.faults.clone()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // This ends its other processes too; whatever the outcome, the process is gone afterwards.
        self.session = None;
        let _ = self.to.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let since = Instant::now();
        while self.from.recv_timeout(Duration::from_millis(100)) != Err(mpsc::RecvTimeoutError::Disconnected) {
            if since.elapsed() > Duration::from_secs(10) {
                break;
            }
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Pixels of a part of the screen.
#[derive(Clone, PartialEq)]
pub struct Picture {
    pixels: Vec<[u8; 3]>,
    png: Vec<u8>,
}

impl Picture {
    fn decode(png: &[u8]) -> Self {
        let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        let step = info.color_type.samples();
        assert!(step >= 3 && info.bit_depth == png::BitDepth::Eight, "{info:?}");
        let pixels = bytes[..info.buffer_size()].chunks_exact(step).map(|p| [p[0], p[1], p[2]]).collect();
        Self { pixels, png: png.to_vec() }
    }

    /// Number of pixels.
    pub fn len(&self) -> usize {
        self.pixels.len()
    }

    /// Number of pixels that satisfy a condition.
    pub fn count(&self, is: impl Fn([u8; 3]) -> bool) -> usize {
        self.pixels.iter().filter(|p| is(**p)).count()
    }

    /// Returns whether two pictures have the same pixels.
    pub fn is_same(&self, other: &Self) -> bool {
        self.pixels == other.pixels
    }
}
