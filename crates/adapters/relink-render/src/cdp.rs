//! Client of the `DevTools` protocol (CDP), which controls Chromium, over a pipe.
//!
//! Messages are JSON objects terminated by a zero byte. A call has an id and receives one
//! reply. A session is a connection to one page, and a browser context is an isolated
//! profile. Events are delivered to the listener of their session or browser context.
//! Only the envelope of a message is parsed at once. The content is parsed later, and only the
//! fields that are needed, because pages can put invalid Unicode into the other fields.
//!
//! The client is hand-written: generated types for the whole protocol take
//! minutes to compile, and only about thirty methods are used.

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

/// Terminator of a message.
const TERMINATOR: u8 = 0;

/// Maximum length of a message. Replies are much shorter. Only events of pages that put
/// megabytes into URLs are longer.
const MAX_MESSAGE_BYTES: u64 = 64 * 1024 * 1024;

/// A failed call.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum CallError {
    /// The connection to the browser is closed.
    #[error("the connection to the browser is closed")]
    Closed,
    /// The browser returned an error, or its reply has an unexpected format.
    #[error("{0}")]
    Refused(String),
}

/// An event of the browser.
#[derive(Debug)]
pub(crate) struct Event {
    /// Name of the event, as `Domain.event`.
    pub method: String,
    params: Option<Box<RawValue>>,
}

impl Event {
    /// Parses the parameters of the event. Returns `None` if the parameters are not a
    /// `T`.
    pub fn read<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(self.params.as_ref()?.get()).ok()
    }
}

/// The unparsed reply to a call.
#[derive(Debug)]
pub(crate) struct Reply(Option<Box<RawValue>>);

impl Reply {
    /// Parses the reply.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, CallError> {
        let text = self.0.as_ref().map_or("null", |raw| raw.get());
        serde_json::from_str(text).map_err(|error| CallError::Refused(error.to_string()))
    }
}

/// The envelope of a message.
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

/// The error of a call.
#[derive(Deserialize)]
struct CdpErrorMessage {
    message: String,
}

/// The browser context of an event without a session.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EventContext {
    target_info: TargetInfo,
}

/// The page or worker that an event is about.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetInfo {
    browser_context_id: Option<String>,
}

/// A connection to a browser. Clones share the connection.
#[derive(Clone)]
pub(crate) struct Cdp {
    shared: Arc<Shared>,
}

/// State shared by all clones of a [`Cdp`].
struct Shared {
    outbox: mpsc::UnboundedSender<Vec<u8>>,
    last_id: AtomicU64,
    state: Mutex<ConnectionState>,
}

/// Pending calls and event listeners of a connection.
#[derive(Default)]
struct ConnectionState {
    is_closed: bool,
    calls: HashMap<u64, oneshot::Sender<Result<Reply, CallError>>>,
    listeners: HashMap<String, mpsc::UnboundedSender<Event>>,
}

impl Cdp {
    /// Creates a connection. The first returned future receives messages, the second future
    /// sends messages. The connection is closed when one of the futures ends.
    pub fn open<R, W>(
        reader: R,
        writer: W,
    ) -> (Self, impl Future<Output = ()> + Send, impl Future<Output = ()> + Send)
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let (outbox, messages) = mpsc::unbounded_channel();
        let shared =
            Arc::new(Shared { outbox, last_id: AtomicU64::new(0), state: Mutex::default() });
        let incoming = receive(reader, Arc::clone(&shared));
        (Self { shared }, incoming, send(writer, messages))
    }

    /// Whether the connection is closed.
    pub fn is_closed(&self) -> bool {
        self.shared.state().is_closed
    }

    /// Calls a method of the browser, or of one session, and waits for the
    /// reply.
    pub async fn call(
        &self,
        session: Option<&str>,
        method: &str,
        params: Value,
    ) -> Result<Reply, CallError> {
        let (sender, receiver) = oneshot::channel();
        let id = self.shared.next_id();
        {
            let mut state = self.shared.state();
            if state.is_closed {
                return Err(CallError::Closed);
            }
            state.calls.insert(id, sender);
        }
        self.enqueue(id, session, method, &params);
        receiver.await.unwrap_or(Err(CallError::Closed))
    }

    /// Calls a method without waiting for the reply.
    pub fn send_nowait(&self, session: Option<&str>, method: &str, params: &Value) {
        self.enqueue(self.shared.next_id(), session, method, params);
    }

    /// Subscribes to the events of sessions and browser contexts.
    pub fn listen(&self, keys: &[&str]) -> mpsc::UnboundedReceiver<Event> {
        let (sender, events) = mpsc::unbounded_channel();
        let mut state = self.shared.state();
        // If the connection is closed, the sender is dropped, which ends the
        // stream of events at once.
        if !state.is_closed {
            for &key in keys {
                state.listeners.insert(key.to_owned(), sender.clone());
            }
        }
        events
    }

    /// Unsubscribes from the events of sessions and browser contexts.
    pub fn unlisten(&self, keys: &[&str]) {
        let mut state = self.shared.state();
        for &key in keys {
            state.listeners.remove(key);
        }
    }

    /// Queues a call for sending.
    fn enqueue(&self, id: u64, session: Option<&str>, method: &str, params: &Value) {
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(TERMINATOR);
        // If the connection is closed, pending calls have already failed.
        let _ = self.shared.outbox.send(bytes);
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, ConnectionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next_id(&self) -> u64 {
        self.last_id.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Passes a reply to its call, or an event to its listener.
    fn deliver(&self, message: Message) {
        let mut state = self.state();
        match (message.id, message.method) {
            (Some(id), _) => {
                let Some(sender) = state.calls.remove(&id) else { return };
                let reply = match message.error {
                    Some(error) => Err(CallError::Refused(error.message)),
                    None => Ok(Reply(message.result)),
                };
                let _ = sender.send(reply);
            }
            (None, Some(method)) => {
                let event = Event { method, params: message.params };
                // Events of new windows have a browser context instead of a session.
                let key = message.session_id.or_else(|| event_context(&event));
                if let Some(listener) = key.and_then(|key| state.listeners.get(&key)) {
                    let _ = listener.send(event);
                }
            }
            (None, None) => {}
        }
    }

    /// Fails all pending calls and ends all event streams.
    fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        state.calls.clear();
        state.listeners.clear();
    }
}

/// Returns the browser context of an event that has no session.
fn event_context(event: &Event) -> Option<String> {
    event.read::<EventContext>()?.target_info.browser_context_id
}

/// Receives messages until the connection is closed or a message is too long.
async fn receive(reader: impl AsyncRead + Unpin, shared: Arc<Shared>) {
    let mut reader = BufReader::new(reader);
    while let Ok(Some(bytes)) = read_message(&mut reader).await {
        if let Ok(message) = serde_json::from_slice(&bytes) {
            shared.deliver(message);
        }
    }
    shared.close();
}

/// Reads the next message. Returns `None` at the end.
async fn read_message(reader: &mut (impl AsyncBufReadExt + Unpin)) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    reader.take(MAX_MESSAGE_BYTES).read_until(TERMINATOR, &mut bytes).await?;
    Ok(bytes.pop_if(|last| *last == TERMINATOR).map(|_| bytes))
}

/// Writes the queued messages until the connection is closed.
async fn send(mut writer: impl AsyncWrite + Unpin, mut messages: mpsc::UnboundedReceiver<Vec<u8>>) {
    while let Some(message) = messages.recv().await {
        if writer.write_all(&message).await.is_err() || writer.flush().await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{DuplexStream, duplex, split};
    use tokio::task::JoinSet;

    use super::*;

    /// Creates a connection, and returns it with the browser's end and the running tasks.
    fn connection() -> (Cdp, BufReader<DuplexStream>, JoinSet<()>) {
        let (client_end, browser_end) = duplex(1 << 16);
        let (reader, writer) = split(client_end);
        let (cdp, incoming, outgoing) = Cdp::open(reader, writer);
        let mut tasks = JoinSet::new();
        tasks.spawn(incoming);
        tasks.spawn(outgoing);
        (cdp, BufReader::new(browser_end), tasks)
    }

    async fn receive_text(browser: &mut BufReader<DuplexStream>) -> String {
        let message = read_message(browser).await.unwrap().unwrap();
        String::from_utf8(message).unwrap()
    }

    async fn send_text(browser: &mut BufReader<DuplexStream>, message: &str) {
        browser.write_all(message.as_bytes()).await.unwrap();
        browser.write_all(&[TERMINATOR]).await.unwrap();
    }

    #[tokio::test]
    async fn each_call_gets_its_own_reply() {
        let (cdp, mut browser, _tasks) = connection();
        let respond = async {
            let calls =
                [receive_text(&mut browser).await, receive_text(&mut browser).await].join(" ");
            assert!(calls.contains(r#""method":"A.b""#) && calls.contains(r#""sessionId":"s""#));
            send_text(&mut browser, r#"{"id":2,"result":{"n":22}}"#).await;
            send_text(&mut browser, r#"{"id":1,"error":{"code":1,"message":"no"}}"#).await;
        };
        let first = cdp.call(None, "A.b", json!({}));
        let second = cdp.call(Some("s"), "C.d", json!({ "x": 1 }));
        let (first, second, ()) = tokio::join!(first, second, respond);
        assert_eq!(first.unwrap_err(), CallError::Refused("no".to_owned()));
        assert_eq!(second.unwrap().read::<Value>().unwrap(), json!({ "n": 22 }));
    }

    #[tokio::test]
    async fn events_are_delivered_to_listeners() {
        let (cdp, mut browser, _tasks) = connection();
        let mut events = cdp.listen(&["s", "c"]);
        send_text(&mut browser, r#"{"method":"A.other","sessionId":"t","params":{}}"#).await;
        send_text(&mut browser, r#"{"method":"A.mine","sessionId":"s","params":{"n":1}}"#).await;
        let created = r#"{"method":"T.made","params":{"targetInfo":{"browserContextId":"c"}}}"#;
        send_text(&mut browser, created).await;
        assert_eq!(events.recv().await.unwrap().method, "A.mine");
        assert_eq!(events.recv().await.unwrap().method, "T.made");
    }

    #[tokio::test]
    async fn invalid_unicode_does_not_hide_other_fields() {
        #[derive(Deserialize)]
        struct Dialog {
            r#type: String,
        }
        let (cdp, mut browser, _tasks) = connection();
        let mut events = cdp.listen(&["s"]);
        let dialog = r#"{"message":"\ud800","type":"alert"}"#;
        send_text(
            &mut browser,
            &format!(r#"{{"method":"P.d","sessionId":"s","params":{dialog}}}"#),
        )
        .await;
        let event = events.recv().await.unwrap();
        assert_eq!(event.read::<Dialog>().unwrap().r#type, "alert");
    }

    #[tokio::test]
    async fn closed_connection_fails_calls_and_ends_events() {
        let (cdp, browser, _tasks) = connection();
        let mut events = cdp.listen(&["s"]);
        let call = cdp.call(None, "A.b", json!({}));
        let (reply, ()) = tokio::join!(call, async { drop(browser) });
        assert_eq!(reply.unwrap_err(), CallError::Closed);
        assert!(events.recv().await.is_none());
        assert!(cdp.is_closed());
        assert_eq!(cdp.call(None, "A.b", json!({})).await.unwrap_err(), CallError::Closed);
        assert!(cdp.listen(&["s"]).recv().await.is_none());
    }
}
