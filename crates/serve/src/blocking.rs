//! For callers without a runtime.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use crate::{ServeError, Server, Token};

/// Between two looks at whether the caller wants to end.
const END_EVERY: Duration = Duration::from_millis(100);

/// Serves result folders until `is_over`. `on_ready` learns the address for a browser, once it is answered.
///
/// # Errors
/// When the address is taken or not one of this machine.
pub fn serve(
    root: PathBuf,
    address: SocketAddr,
    token: Option<Token>,
    on_ready: impl FnOnce(&str),
    is_over: impl Fn() -> bool + Send + 'static,
) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let server = Server::bind(root, address, token).await?;
        on_ready(&server.url());
        server
            .run(async move {
                while !is_over() {
                    tokio::time::sleep(END_EVERY).await;
                }
            })
            .await
    })
}
