//! A real browser with one page, driven through the pipe of Chromium's DevTools protocol: in real time, as live pages need it.
//!
//! `CHROMIUM` names another program than the one that is installed.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::Place;

/// How long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(60);
/// Between two looks at whether something has happened in the page.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A browser that ends with the test.
pub struct Browser {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    session: Option<String>,
    calls: u64,
    /// What scripts of the page threw.
    pub exceptions: Vec<String>,
}

fn chromium() -> OsString {
    if let Some(named) = std::env::var_os("CHROMIUM") {
        return named;
    }
    [
        "/usr/bin/chromium",
        "/usr/bin/chromium-browser",
        "/usr/bin/google-chrome",
    ]
    .into_iter()
    .find(|path| Path::new(path).exists())
    .expect("Chromium is not installed: apt-get install chromium, or name it in CHROMIUM")
    .into()
}

impl Browser {
    /// Opens a page.
    pub fn open(place: &Place, url: &str) -> Self {
        // The browser reads commands from file 3 and answers on file 4.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1"])
            .arg(chromium())
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"])
            .args([
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
            ])
            .arg(format!("--user-data-dir={}", place.path("browser").display()))
            .arg("--remote-debugging-pipe")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (send, messages) = mpsc::channel();
        std::thread::spawn(move || {
            for message in output.split(0).map_while(Result::ok) {
                let Ok(message) = serde_json::from_slice::<Value>(&message) else {
                    continue;
                };
                if send.send(message).is_err() {
                    return;
                }
            }
        });
        let mut browser = Self {
            child,
            input,
            messages,
            session: None,
            calls: 0,
            exceptions: Vec::new(),
        };
        let target = browser
            .call("Target.createTarget", json!({ "url": "about:blank" }))
            .unwrap();
        let attached = browser
            .call(
                "Target.attachToTarget",
                json!({ "targetId": target["targetId"], "flatten": true }),
            )
            .unwrap();
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        assert!(browser.session.is_some(), "{attached}");
        browser.call("Page.enable", json!({})).unwrap();
        browser.call("Runtime.enable", json!({})).unwrap();
        browser.go(url);
        browser
    }

    /// Opens another page.
    pub fn go(&mut self, url: &str) {
        self.call("Page.navigate", json!({ "url": url })).unwrap();
        self.wait_for(
            "the page",
            &format!(
                "location.href === {} && document.readyState === 'complete'",
                json!(url)
            ),
        );
    }

    /// Opens the page anew.
    pub fn reload(&mut self) {
        self.evaluate("window.isOld = true");
        self.call("Page.reload", json!({})).unwrap();
        self.wait_for(
            "the page again",
            "!window.isOld && document.readyState === 'complete'",
        );
    }

    /// The value of an expression in the page.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        self.try_evaluate(expression)
            .unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    /// Waits until a condition holds in the page; fails after a minute.
    pub fn wait_for(&mut self, what: &str, condition: &str) {
        for _ in 0..PATIENCE.as_millis() / LOOK_EVERY.as_millis() {
            // While another page is opened, there is none to ask.
            if self.try_evaluate(condition) == Ok(json!(true)) {
                return;
            }
            std::thread::sleep(LOOK_EVERY);
        }
        let text = self.evaluate("document.body.innerText");
        panic!("waited a minute for {what}: {text}");
    }

    fn try_evaluate(&mut self, expression: &str) -> Result<Value, String> {
        let asked = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let answer = self.call("Runtime.evaluate", asked)?;
        match &answer["exceptionDetails"] {
            Value::Null => Ok(answer["result"]["value"].clone()),
            exception => Err(exception.to_string()),
        }
    }

    fn call(&mut self, method: &str, parameters: Value) -> Result<Value, String> {
        self.calls += 1;
        let mut message = json!({ "id": self.calls, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.input
            .write_all(format!("{message}\0").as_bytes())
            .map_err(|error| error.to_string())?;
        loop {
            let answer = self
                .messages
                .recv_timeout(PATIENCE)
                .map_err(|error| format!("no answer to {method}: {error}"))?;
            if answer["method"] == "Runtime.exceptionThrown" {
                self.exceptions.push(answer["params"].to_string());
            }
            if answer["id"] == json!(self.calls) {
                return match &answer["error"] {
                    Value::Null => Ok(answer["result"].clone()),
                    error => Err(error.to_string()),
                };
            }
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
