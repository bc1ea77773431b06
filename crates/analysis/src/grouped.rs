//! Values put together by a key.

/// The values of each key; keys and values stay in the order in which they come.
pub fn grouped<K: PartialEq, V>(pairs: impl IntoIterator<Item = (K, V)>) -> Vec<(K, Vec<V>)> {
    let mut groups: Vec<(K, Vec<V>)> = Vec::new();
    for (key, value) in pairs {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) => values.push(value),
            None => groups.push((key, vec![value])),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn keys_stand_in_the_order_in_which_they_come() {
        assert_eq!(
            grouped([("b", 1), ("a", 2), ("b", 3)]),
            [("b", vec![1, 3]), ("a", vec![2])]
        );
    }
}
