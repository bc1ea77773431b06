//! A relay between the driver and a server, which can cut every connection at the worst moment.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Passes connections on to one server, until this process ends.
pub struct Relay {
    /// Where it listens.
    pub port: u16,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    armed: AtomicBool,
    open: Mutex<Vec<TcpStream>>,
}

impl Relay {
    /// A relay to `server`, written `host:port`.
    pub fn to(server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(State::default());
        let (of_thread, server) = (Arc::clone(&state), server.to_owned());
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let client = client.unwrap();
                let server = TcpStream::connect(&server).unwrap();
                let mut open = of_thread.open.lock().unwrap();
                open.push(client.try_clone().unwrap());
                open.push(server.try_clone().unwrap());
                drop(open);
                pass(client.try_clone().unwrap(), server.try_clone().unwrap(), None);
                pass(server, client, Some(Arc::clone(&of_thread)));
            }
        });
        Self { port, state }
    }

    /// Cuts every connection when the server answers next: the request has arrived, and its answer never will.
    pub fn cut_at_next_answer(&self) {
        self.state.armed.store(true, Ordering::SeqCst);
    }
}

/// Copies bytes one way until either side ends. With a state, it is the way of answers.
fn pass(mut from: TcpStream, mut to: TcpStream, answers: Option<Arc<State>>) {
    std::thread::spawn(move || {
        let mut buffer = [0; 16 << 10];
        while let Ok(length @ 1..) = from.read(&mut buffer) {
            if let Some(state) = &answers
                && state.armed.swap(false, Ordering::SeqCst)
            {
                for stream in state.open.lock().unwrap().drain(..) {
                    stream.shutdown(Shutdown::Both).ok();
                }
            }
            if to.write_all(&buffer[..length]).is_err() {
                break;
            }
        }
        from.shutdown(Shutdown::Both).ok();
        to.shutdown(Shutdown::Both).ok();
    });
}
