//! Which product a server is: others speak Redis's protocol, and name the version of Redis that they are like beside their own.

/// Products, and the keys of `INFO server` with their versions; Redis comes last.
const PRODUCTS: [(&str, &str); 7] = [
    ("Valkey", "valkey_version"),
    ("Dragonfly", "dragonfly_version"),
    ("Kvrocks", "kvrocks_version"),
    ("Garnet", "garnet_version"),
    ("Redict", "redict_version"),
    ("KeyDB", "keydb_version"),
    ("Redis", "redis_version"),
];

/// The product with these values, and its version; Redis, and no version, where there are none.
#[must_use]
pub fn product(value: impl Fn(&str) -> Option<String>) -> (&'static str, String) {
    PRODUCTS
        .into_iter()
        .find_map(|(product, key)| Some((product, value(key)?)))
        .unwrap_or(("Redis", String::new()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_that_is_like_redis_is_named_by_its_own_name() {
        let of = |lines: &[(&str, &str)]| {
            product(|wanted| {
                let line = lines.iter().find(|(key, _)| *key == wanted)?;
                Some(line.1.to_owned())
            })
        };
        let like = ("redis_version", "7.2.4");
        assert_eq!(of(&[like]), ("Redis", "7.2.4".to_owned()));
        let valkey = of(&[like, ("server_name", "valkey"), ("valkey_version", "9.1.2")]);
        assert_eq!(valkey, ("Valkey", "9.1.2".to_owned()));
        assert_eq!(of(&[]), ("Redis", String::new()));
    }
}
