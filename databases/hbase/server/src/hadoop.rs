//! Files that every process of Hadoop and HBase reads.

use std::path::Path;

/// A configuration file of Hadoop's form.
pub fn configuration(settings: &[(&str, String)]) -> String {
    let properties: String = settings
        .iter()
        .map(|(name, value)| {
            let value = value.replace('&', "&amp;").replace('<', "&lt;");
            format!("  <property><name>{name}</name><value>{value}</value></property>\n")
        })
        .collect();
    format!("<?xml version=\"1.0\"?>\n<configuration>\n{properties}</configuration>\n")
}

/// `log4j.properties`.
pub fn logging(path: &Path) -> String {
    format!(
        "log4j.rootLogger=INFO, file\nlog4j.appender.file=org.apache.log4j.FileAppender\n\
         log4j.appender.file.File={}\nlog4j.appender.file.layout=org.apache.log4j.PatternLayout\n\
         log4j.appender.file.layout.ConversionPattern=%d %p [%t] %c{{2}}: %m%n\n",
        path.display()
    )
}
