//! Addresses that ask the lab for a server: `lab:` and a request.

/// The scheme of such an address.
pub const LAB_SCHEME: &str = "lab";

/// The request of such an address, e.g. `redis@7?nodes=3` of `lab:redis@7?nodes=3`; `None` if the address is another one.
#[must_use]
pub fn lab_request(address: &str) -> Option<&str> {
    address.strip_prefix(LAB_SCHEME)?.strip_prefix(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_scheme_makes_an_address_of_the_lab() {
        assert_eq!(lab_request("lab:redis@7?nodes=3"), Some("redis@7?nodes=3"));
        for address in ["labs:redis", "redis://lab:1", "lab"] {
            assert_eq!(lab_request(address), None, "{address}");
        }
    }
}
