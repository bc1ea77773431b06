//! From where an audit looks: this host, or a network namespace of it, which is to a server another host.

use std::fs::File;
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// From where connections come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Vantage {
    /// The network of this process.
    #[default]
    Here,
    /// The network of this process, to a loopback address.
    Loopback,
    /// The network namespace of that name, as `ip netns add` makes them.
    Namespace(String),
}

impl Vantage {
    /// The words in every output.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Here => "this host".to_owned(),
            Self::Loopback => "this host, over loopback".to_owned(),
            Self::Namespace(name) => format!("network namespace {name}"),
        }
    }

    /// Opens a connection from there.
    ///
    /// # Errors
    /// As `connect(2)`; and when the namespace does not exist or may not be entered.
    pub(crate) fn connect(&self, address: SocketAddr, patience: Duration) -> std::io::Result<TcpStream> {
        self.within(move || TcpStream::connect_timeout(&address, patience))
    }

    /// Does something from there that makes sockets.
    ///
    /// # Errors
    /// Those of the action; and when the namespace does not exist or may not be entered.
    pub(crate) fn within<T: Send + 'static>(
        &self,
        action: impl FnOnce() -> std::io::Result<T> + Send + 'static,
    ) -> std::io::Result<T> {
        match self {
            Self::Here | Self::Loopback => action(),
            Self::Namespace(name) => {
                let namespace = self.open(name)?;
                // A thread of its own enters the namespace; its sockets stay there when the thread has ended.
                let acting = std::thread::spawn(move || {
                    enter(&namespace)?;
                    action()
                });
                let died = |_| Err(std::io::Error::other("the connecting thread died"));
                acting.join().unwrap_or_else(died)
            }
        }
    }

    /// Whether it can be looked from at all.
    ///
    /// # Errors
    /// With what is missing.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Self::Here | Self::Loopback => Ok(()),
            Self::Namespace(name) => self
                .open(name)
                .map(drop)
                .map_err(|error| format!("the network namespace `{name}` cannot be opened: {error}")),
        }
    }

    fn open(&self, name: &str) -> std::io::Result<File> {
        if name.is_empty() || name.contains('/') || name.starts_with('.') {
            return Err(std::io::Error::other("its name is none"));
        }
        if !cfg!(target_os = "linux") {
            return Err(std::io::Error::new(
                std::io::ErrorKind::Unsupported,
                "only Linux has network namespaces",
            ));
        }
        File::open(format!("/run/netns/{name}"))
    }
}

/// Moves the calling thread into a network namespace.
#[cfg(target_os = "linux")]
fn enter(namespace: &File) -> std::io::Result<()> {
    use std::os::fd::AsFd as _;

    use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

    move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network))?;
    Ok(())
}

/// Never asked for: [`Vantage::open`] has failed before.
#[cfg(not(target_os = "linux"))]
fn enter(_: &File) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}
