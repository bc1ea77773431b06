//! A binding of YCSB named by its Java class and class path: the address under which the `ycsb` driver hosts it.

use dbdyno_workload::is_core_property;
use dbdyno_workload::properties::Properties;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

/// What would end a value of an address, and the sign that escapes it.
const VALUE: &AsciiSet = &CONTROLS.add(b'&').add(b'%');

/// The address of this class with every property, as YCSB's bindings see them all. Those that only a binding can
/// understand are taken out of `properties`.
pub fn address(class: &str, class_path: &str, properties: &mut Properties) -> String {
    // As with YCSB, a load inserts whatever is there.
    let mut address = format!("ycsb:{class}?class_path={class_path}&drop=keep");
    // As with YCSB, nobody looks at the values that reads find, unless they are to be verified.
    if properties
        .get("dataintegrity")
        .is_none_or(|property| !property.value.eq_ignore_ascii_case("true"))
    {
        address.push_str("&values=unread");
    }
    for (name, property) in properties.iter() {
        let value = utf8_percent_encode(&property.value, VALUE);
        address.push_str(&format!("&p.{name}={value}"));
    }
    let foreign: Vec<String> = properties
        .iter()
        .map(|(name, _)| name.to_owned())
        .filter(|name| !is_core_property(name))
        .collect();
    for name in foreign {
        properties.remove(&name);
    }
    address
}

#[cfg(test)]
mod tests {
    use dbdyno_driver::Target;

    use super::*;

    #[test]
    fn the_binding_sees_every_property_and_the_workload_only_its_own() {
        let mut properties = Properties::new();
        for setting in ["recordcount=10", "hosts=one,two", "url=h/d?a=1&b=50%"] {
            properties.set(setting).unwrap();
        }
        let target = Target::parse(&address("a.B", "/x.jar:/lib/*", &mut properties)).unwrap();
        assert_eq!((target.scheme.as_str(), target.place.as_str()), ("ycsb", "a.B"));
        for (option, expected) in [
            ("class_path", "/x.jar:/lib/*"),
            ("p.recordcount", "10"),
            ("p.hosts", "one,two"),
            ("p.url", "h/d?a=1%26b=50%25"),
        ] {
            assert_eq!(target.options[option], expected);
        }
        let left: Vec<&str> = properties.iter().map(|(name, _)| name).collect();
        assert_eq!(left, ["recordcount"]);
    }

    #[test]
    fn values_are_read_where_they_are_verified() {
        for (setting, unread) in [
            ("recordcount=10", true),
            ("dataintegrity=false", true),
            ("dataintegrity=True", false),
        ] {
            let mut properties = Properties::new();
            properties.set(setting).unwrap();
            let target = Target::parse(&address("a.B", "/x.jar", &mut properties)).unwrap();
            let unread_option = target
                .options
                .get("values")
                .is_some_and(|values| values == "unread");
            assert_eq!(unread_option, unread, "{setting}");
        }
    }
}
