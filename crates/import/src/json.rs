//! Figures that a tool printed as JSON, put into the lines that its text has for them: YCSB's with
//! `exporter=...JSONMeasurementsExporter` or `...JSONArrayMeasurementsExporter`, go-ycsb's with `outputstyle=json`.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::log::ImportError;

type Object = Map<String, Value>;

/// The log with lines of text in place of JSON; what is none stays.
pub fn as_text(log: &str) -> Result<Cow<'_, str>, ImportError> {
    if !["\"metric\"", "\"Takes(s)\""]
        .iter()
        .any(|name| log.contains(name))
    {
        return Ok(Cow::Borrowed(log));
    }
    let mut text = String::with_capacity(log.len());
    let mut rest = log;
    while let Some(line) = rest.lines().next() {
        if line.trim_start().starts_with(['[', '{']) {
            let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
            match values.next() {
                Some(Ok(value)) => {
                    if let Some(lines) = lines(&value) {
                        text.push_str(&lines);
                        rest = &rest[values.byte_offset()..];
                        continue;
                    }
                }
                Some(Err(error)) if error.is_eof() => {
                    return Err(ImportError::Truncated {
                        what: "its JSON has no end".to_owned(),
                    });
                }
                _ => {}
            }
        }
        text.push_str(line);
        text.push('\n');
        rest = rest[line.len()..].trim_start_matches('\r');
        rest = rest.strip_prefix('\n').unwrap_or(rest);
    }
    Ok(Cow::Owned(text))
}

/// The lines of one value: a list of objects or one of them.
fn lines(value: &Value) -> Option<String> {
    let line = |object: &Object| of_ycsb(object).or_else(|| of_go_ycsb(object));
    match value {
        Value::Array(objects) => objects.iter().map(|object| line(object.as_object()?)).collect(),
        Value::Object(object) => line(object),
        _ => None,
    }
}

/// `{"metric": "READ", "measurement": "Operations", "value": 515}`.
fn of_ycsb(object: &Object) -> Option<String> {
    let text = |key: &str| object.get(key)?.as_str();
    let (metric, measurement) = (text("metric")?, text("measurement")?);
    let value = object.get("value")?.as_number()?;
    Some(format!("[{metric}], {measurement}, {value}\n"))
}

/// `{"Operation": "READ", "Takes(s)": "10.0", "Count": "515", ...}`.
fn of_go_ycsb(object: &Object) -> Option<String> {
    const TIME: &str = "Takes(s)";
    let text = |key: &str| object.get(key)?.as_str();
    let mut line = format!("{} - {TIME}: {}", text("Operation")?, text(TIME)?);
    for name in object
        .keys()
        .filter(|name| !["Operation", TIME].contains(&name.as_str()))
    {
        line.push_str(&format!(", {name}: {}", text(name)?));
    }
    line.push('\n');
    Some(line)
}
