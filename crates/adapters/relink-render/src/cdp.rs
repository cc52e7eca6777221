//! Speaks with a browser: the `DevTools` protocol over a pipe.
//!
//! Messages are JSON, each ended by a zero byte. A call has a number and gets
//! one reply; events come unasked and go to whoever listens for their session
//! or their browser context. What a message holds beyond its envelope stays
//! unread until someone asks: pages can put text into it that is no valid
//! Unicode, and that must not keep the rest from being understood.
//!
//! A hand-made client, because the whole protocol as generated types takes
//! minutes to build and we say some thirty things in it.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use thiserror::Error;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{mpsc, oneshot};

/// What ends a message.
const END: u8 = 0;

/// The longest message read. What we ask for is capped far below; a longer
/// one comes of a page that puts megabytes into a URL, again and again.
const MESSAGE_CAP: u64 = 64 * 1024 * 1024;

/// A call came to nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum CallError {
    /// The browser is gone.
    #[error("the browser is gone")]
    Gone,
    /// The browser would not.
    #[error("{0}")]
    Refused(String),
}

/// Something that happened in the browser.
#[derive(Debug)]
pub(crate) struct Event {
    /// What, as `Domain.event`.
    pub method: String,
    params: Option<Box<RawValue>>,
}

impl Event {
    /// What the event tells, as far as `T` asks.
    pub fn read<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(self.params.as_ref()?.get()).ok()
    }
}

/// The reply to a call, unread.
#[derive(Debug)]
pub(crate) struct Reply(Option<Box<RawValue>>);

impl Reply {
    /// What the reply says, as far as `T` asks.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, CallError> {
        let text = self.0.as_ref().map_or("null", |raw| raw.get());
        serde_json::from_str(text).map_err(|error| CallError::Refused(error.to_string()))
    }
}

/// A message as it comes over the pipe.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    id: Option<u64>,
    method: Option<String>,
    session_id: Option<String>,
    params: Option<Box<RawValue>>,
    result: Option<Box<RawValue>>,
    error: Option<CdpErrorMessage>,
}

#[derive(Deserialize)]
struct CdpErrorMessage {
    message: String,
}

/// What says to which context an event without a session belongs.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Belonging {
    target_info: TargetInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetInfo {
    browser_context_id: Option<String>,
}

/// A line to a browser. Copies share it.
#[derive(Clone)]
pub(crate) struct Cdp {
    shared: Arc<Shared>,
}

struct Shared {
    outbox: mpsc::UnboundedSender<Vec<u8>>,
    last_call: AtomicU64,
    desk: Mutex<PendingCalls>,
}

/// Who waits for what.
#[derive(Default)]
struct PendingCalls {
    is_gone: bool,
    calls: HashMap<u64, oneshot::Sender<Result<Reply, CallError>>>,
    listeners: HashMap<String, mpsc::UnboundedSender<Event>>,
}

impl Cdp {
    /// Takes up the line. The two futures carry messages in and out; the line
    /// is over when either ends.
    pub fn open<R, W>(
        reader: R,
        writer: W,
    ) -> (Self, impl Future<Output = ()> + Send, impl Future<Output = ()> + Send)
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let (outbox, letters) = mpsc::unbounded_channel();
        let shared =
            Arc::new(Shared { outbox, last_call: AtomicU64::new(0), desk: Mutex::default() });
        let incoming = receive(reader, Arc::clone(&shared));
        (Self { shared }, incoming, send(writer, letters))
    }

    /// Whether the browser is gone.
    pub fn is_over(&self) -> bool {
        self.shared.desk().is_gone
    }

    /// Says something to the browser, or to one session of it, and waits for
    /// the reply.
    pub async fn call(
        &self,
        session: Option<&str>,
        method: &str,
        params: Value,
    ) -> Result<Reply, CallError> {
        let (reply, replied) = oneshot::channel();
        let number = self.shared.next_call();
        {
            let mut desk = self.shared.desk();
            if desk.is_gone {
                return Err(CallError::Gone);
            }
            desk.calls.insert(number, reply);
        }
        self.post(number, session, method, &params);
        replied.await.unwrap_or(Err(CallError::Gone))
    }

    /// Says something and waits for nothing.
    pub fn send_nowait(&self, session: Option<&str>, method: &str, params: &Value) {
        self.post(self.shared.next_call(), session, method, params);
    }

    /// Hears the events of a session or of a browser context from now on.
    pub fn listen(&self, keys: &[&str]) -> mpsc::UnboundedReceiver<Event> {
        let (sender, events) = mpsc::unbounded_channel();
        let mut desk = self.shared.desk();
        // Where the browser is gone nobody keeps the sender, and the listener
        // learns of it at once.
        if !desk.is_gone {
            for &key in keys {
                desk.listeners.insert(key.to_owned(), sender.clone());
            }
        }
        events
    }

    /// Hears them no longer.
    pub fn leave(&self, keys: &[&str]) {
        let mut desk = self.shared.desk();
        for &key in keys {
            desk.listeners.remove(key);
        }
    }

    fn post(&self, number: u64, session: Option<&str>, method: &str, params: &Value) {
        let mut message = json!({ "id": number, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        let mut letter = message.to_string().into_bytes();
        letter.push(END);
        // Where the line is over, whoever waits has been told by the desk.
        let _ = self.shared.outbox.send(letter);
    }
}

impl Shared {
    fn desk(&self) -> MutexGuard<'_, PendingCalls> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next_call(&self) -> u64 {
        self.last_call.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn deliver(&self, message: Message) {
        let mut desk = self.desk();
        match (message.id, message.method) {
            (Some(number), _) => {
                let Some(waiting) = desk.calls.remove(&number) else { return };
                let reply = match message.error {
                    Some(complaint) => Err(CallError::Refused(complaint.message)),
                    None => Ok(Reply(message.result)),
                };
                let _ = waiting.send(reply);
            }
            (None, Some(method)) => {
                let event = Event { method, params: message.params };
                let key = message.session_id.or_else(|| context_of(&event));
                if let Some(listener) = key.and_then(|key| desk.listeners.get(&key)) {
                    let _ = listener.send(event);
                }
            }
            (None, None) => {}
        }
    }

    /// Tells everybody who waits that nothing more will come.
    fn close(&self) {
        let mut desk = self.desk();
        desk.is_gone = true;
        desk.calls.clear();
        desk.listeners.clear();
    }
}

fn context_of(event: &Event) -> Option<String> {
    event.read::<Belonging>()?.target_info.browser_context_id
}

async fn receive(reader: impl AsyncRead + Unpin, shared: Arc<Shared>) {
    let mut reader = BufReader::new(reader);
    // Ended by a line that is over, or by one that cannot be trusted.
    while let Ok(Some(bytes)) = read_message(&mut reader).await {
        if let Ok(message) = serde_json::from_slice(&bytes) {
            shared.deliver(message);
        }
    }
    shared.close();
}

/// The next message, or `None` at the end of the line.
async fn read_message(reader: &mut (impl AsyncBufReadExt + Unpin)) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    reader.take(MESSAGE_CAP).read_until(END, &mut bytes).await?;
    Ok(bytes.pop_if(|last| *last == END).map(|_| bytes))
}

async fn send(mut writer: impl AsyncWrite + Unpin, mut letters: mpsc::UnboundedReceiver<Vec<u8>>) {
    while let Some(letter) = letters.recv().await {
        if writer.write_all(&letter).await.is_err() || writer.flush().await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{DuplexStream, duplex, split};
    use tokio::task::JoinSet;

    use super::*;

    /// A line and the browser's end of it.
    fn line() -> (Cdp, BufReader<DuplexStream>, JoinSet<()>) {
        let (ours, theirs) = duplex(1 << 16);
        let (reader, writer) = split(ours);
        let (cdp, incoming, outgoing) = Cdp::open(reader, writer);
        let mut tasks = JoinSet::new();
        tasks.spawn(incoming);
        tasks.spawn(outgoing);
        (cdp, BufReader::new(theirs), tasks)
    }

    async fn heard(browser: &mut BufReader<DuplexStream>) -> String {
        let message = read_message(browser).await.unwrap().unwrap();
        String::from_utf8(message).unwrap()
    }

    async fn say(browser: &mut BufReader<DuplexStream>, message: &str) {
        browser.write_all(message.as_bytes()).await.unwrap();
        browser.write_all(&[END]).await.unwrap();
    }

    #[tokio::test]
    async fn each_call_gets_its_own_reply() {
        let (cdp, mut browser, _tasks) = line();
        let answer = async {
            let asked = [heard(&mut browser).await, heard(&mut browser).await].join(" ");
            assert!(asked.contains(r#""method":"A.b""#) && asked.contains(r#""sessionId":"s""#));
            say(&mut browser, r#"{"id":2,"result":{"n":22}}"#).await;
            say(&mut browser, r#"{"id":1,"error":{"code":1,"message":"no"}}"#).await;
        };
        let first = cdp.call(None, "A.b", json!({}));
        let second = cdp.call(Some("s"), "C.d", json!({ "x": 1 }));
        let (first, second, ()) = tokio::join!(first, second, answer);
        assert_eq!(first.unwrap_err(), CallError::Refused("no".to_owned()));
        assert_eq!(second.unwrap().read::<Value>().unwrap(), json!({ "n": 22 }));
    }

    #[tokio::test]
    async fn events_go_to_those_who_listen() {
        let (cdp, mut browser, _tasks) = line();
        let mut events = cdp.listen(&["s", "c"]);
        say(&mut browser, r#"{"method":"A.other","sessionId":"t","params":{}}"#).await;
        say(&mut browser, r#"{"method":"A.mine","sessionId":"s","params":{"n":1}}"#).await;
        let created = r#"{"method":"T.made","params":{"targetInfo":{"browserContextId":"c"}}}"#;
        say(&mut browser, created).await;
        assert_eq!(events.recv().await.unwrap().method, "A.mine");
        assert_eq!(events.recv().await.unwrap().method, "T.made");
    }

    #[tokio::test]
    async fn text_that_is_no_unicode_hides_nothing_else() {
        #[derive(Deserialize)]
        struct Dialog {
            r#type: String,
        }
        let (cdp, mut browser, _tasks) = line();
        let mut events = cdp.listen(&["s"]);
        let dialog = r#"{"message":"\ud800","type":"alert"}"#;
        say(&mut browser, &format!(r#"{{"method":"P.d","sessionId":"s","params":{dialog}}}"#))
            .await;
        let event = events.recv().await.unwrap();
        assert_eq!(event.read::<Dialog>().unwrap().r#type, "alert");
    }

    #[tokio::test]
    async fn who_waits_learns_that_the_browser_is_gone() {
        let (cdp, browser, _tasks) = line();
        let mut events = cdp.listen(&["s"]);
        let call = cdp.call(None, "A.b", json!({}));
        let (reply, ()) = tokio::join!(call, async { drop(browser) });
        assert_eq!(reply.unwrap_err(), CallError::Gone);
        assert!(events.recv().await.is_none());
        assert!(cdp.is_over());
        assert_eq!(cdp.call(None, "A.b", json!({})).await.unwrap_err(), CallError::Gone);
        assert!(cdp.listen(&["s"]).recv().await.is_none());
    }
}
