//! An address beyond loopback on which servers listen, because the user asked for it.

use std::net::{IpAddr, UdpSocket};

use crate::error::{LabError, LabErrorKind};
use crate::recipe_info::RecipeOption;
use crate::request::ServerRequest;

/// The option of recipes whose server can be reached from another network namespace or host.
pub const LISTEN_OPTION: RecipeOption = RecipeOption::new(
    "listen",
    "a private address of this machine on which the server listens beside loopback, so that other hosts reach it; with one node and security=auth or hardened",
    "none",
);

/// The address that a request asks for, whose servers ask everybody for a login or do not.
///
/// # Errors
/// When it is none, is public, or belongs to another machine; when the servers would have no login, or are several.
pub(crate) fn listen(request: &ServerRequest, has_login: bool) -> Result<Option<IpAddr>, LabError> {
    let Some(text) = request.option(LISTEN_OPTION.name) else {
        return Ok(None);
    };
    let refuse = |why: String, help: &str| {
        let what = format!("listen={text} of {} is not possible: {why}", request.name);
        Err(LabError::new(LabErrorKind::Request, what).help(help))
    };
    let Ok(address) = text.parse::<IpAddr>() else {
        return refuse("it is no IP address".to_owned(), "write e.g. listen=10.0.0.1");
    };
    if address.is_loopback() || !is_private(address) {
        return refuse(
            "it is loopback or public".to_owned(),
            "name a private address (10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, fc00::/7); servers listen on loopback anyway",
        );
    }
    if let Err(error) = UdpSocket::bind((address, 0)) {
        return refuse(
            format!("this machine does not have it ({error})"),
            "`ip address` shows those it has",
        );
    }
    if !has_login {
        return refuse(
            "other hosts would be served without a login".to_owned(),
            "add security=auth or security=hardened",
        );
    }
    if request.option("nodes").is_some_and(|nodes| nodes != "1") {
        return refuse(
            "the nodes of a cluster name each other's loopback addresses to clients".to_owned(),
            "leave out nodes",
        );
    }
    Ok(Some(address))
}

/// Whether no router of the internet forwards packets to it.
fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_private(),
        IpAddr::V6(address) => address.is_unique_local(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_private_address_of_this_machine_with_a_login_is_listened_on() {
        let of = |options: &str| listen(&ServerRequest::parse(&format!("redis?{options}")).unwrap(), true);
        assert_eq!(of("security=none").unwrap(), None);
        for (options, expected) in [
            ("listen=home", "no IP address"),
            ("listen=0.0.0.0&security=auth", "loopback or public"),
            ("listen=127.0.0.2&security=auth", "loopback or public"),
            ("listen=8.8.8.8&security=auth", "loopback or public"),
            ("listen=10.255.255.254&security=auth", "does not have it"),
        ] {
            let error = of(options).unwrap_err();
            assert!(error.message.contains(expected), "{options}: {error}");
            assert!(!error.help.is_empty());
        }
        // An address that this machine has, where it has any but loopback.
        let Some(own) = own() else {
            return;
        };
        let of = |options: &str, has_login| {
            let request = ServerRequest::parse(&format!("redis?listen={own}{options}")).unwrap();
            listen(&request, has_login)
        };
        assert_eq!(of("", true).unwrap(), Some(own));
        let error = of("", false).unwrap_err();
        assert!(error.message.contains("without a login"), "{error}");
        let error = of("&nodes=3", true).unwrap_err();
        assert!(error.message.contains("loopback addresses to clients"), "{error}");
    }

    /// The private address from which this machine would send to others; nothing is sent.
    fn own() -> Option<IpAddr> {
        let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
        socket.connect("192.0.2.1:9").ok()?;
        let own = socket.local_addr().ok()?.ip();
        is_private(own).then_some(own)
    }
}
