//! For callers without a runtime.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use crate::{Push, ServeError, Server, Token};

/// Between two looks at whether the caller wants to end.
const END_EVERY: Duration = Duration::from_millis(100);
/// Folders that are read at a time: more requests wait, and a measurement beside them does not.
const MOST_READERS: usize = 16;

/// The pages of result folders.
pub struct Pages {
    /// The folder of the result folders.
    pub root: PathBuf,
    /// Where they are served.
    pub address: SocketAddr,
    /// What browsers have to show, if anything.
    pub token: Option<Token>,
    /// Where figures are sent to, if anywhere.
    pub push: Option<Push>,
}

/// Serves pages until `is_over`. `on_ready` learns the address for a browser, once it is answered.
///
/// # Errors
/// When the address is taken or not one of this machine.
pub fn serve(
    pages: Pages,
    on_ready: impl FnOnce(&str),
    is_over: impl Fn() -> bool + Send + 'static,
) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .max_blocking_threads(MOST_READERS)
        .enable_all()
        .build()?;
    let served = runtime.block_on(async {
        let server = Server::bind(pages.root, pages.address, pages.token).await?;
        let server = server.pushing(pages.push);
        on_ready(&server.url());
        server
            .run(async move {
                while !is_over() {
                    tokio::time::sleep(END_EVERY).await;
                }
            })
            .await;
        Ok(())
    });
    // A page that is being made may take long, or wait for a disk for ever: nobody reads it any more.
    runtime.shutdown_background();
    served
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpStream;
    use std::process::Command;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn a_pipe_in_the_place_of_a_file_is_named_and_not_waited_for() {
        let root = tempfile::tempdir().unwrap();
        let stuck = root.path().join("stuck");
        drop(dbdyno_record::ResultFolder::create(&stuck, "name = \"x\"\n").unwrap());
        // Who opens it waits for a writer that never comes, unless it takes care.
        let made = Command::new("mkfifo").arg(stuck.join("plan.json")).status();
        assert!(made.unwrap().success());
        let (is_over, ends) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (over, path) = (Arc::clone(&is_over), root.path().to_owned());
        let (ready, became_ready) = mpsc::channel();
        let has_ended = Arc::clone(&ends);
        std::thread::spawn(move || {
            let address = SocketAddr::from(([127, 0, 0, 1], 0));
            let on_ready = |url: &str| ready.send(url.to_owned()).unwrap();
            let is_over = move || over.load(Ordering::SeqCst);
            let pages = Pages {
                root: path,
                address,
                token: None,
                push: None,
            };
            serve(pages, on_ready, is_over).unwrap();
            has_ended.store(true, Ordering::SeqCst);
        });
        let url = became_ready.recv().unwrap();
        let address = url.trim_start_matches("http://").trim_end_matches('/');
        let mut stream = TcpStream::connect(address).unwrap();
        write!(
            stream,
            "GET / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        let mut page = String::new();
        stream.read_to_string(&mut page).unwrap();
        assert!(
            page.contains("stuck") && page.contains("not a regular file"),
            "{page}"
        );
        is_over.store(true, Ordering::SeqCst);
        let mut looks = (0..100).map(|_| std::thread::sleep(Duration::from_millis(100)));
        assert!(looks.any(|()| ends.load(Ordering::SeqCst)), "it did not end");
    }
}
