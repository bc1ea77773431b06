//! An audit as a document: what is wrong first, then every feature in three layers, then the evidence.

use dbdyno_document::{
    Block, Column, Document, Finding, Media, Paragraph, Render, Role, Row, RowGroup, Section, Table,
    TableCell, Text, Tone, Verdict,
};
use dbdyno_record::audit::{
    AuditFinding, AuditSeverity, Feature, ProtectionLevel, Revocation, Scope, UnknownReason,
};

use super::marked::marked;
use crate::audit::{AuditReport, AuditReports, thesis_cell};
use crate::number;

impl Render for AuditReports {
    fn document(&self) -> Document {
        match self.0.as_slice() {
            [one] => one.document(),
            all => side_by_side(all),
        }
    }
}

/// Several systems on one page: what needs fixing of each, one table of all features, and each system's own sections.
fn side_by_side(all: &[AuditReport]) -> Document {
    let mut body: Vec<Block> = all.iter().map(AuditReport::named_verdict).collect();
    body.push(comparison(all));
    body.extend(all.iter().map(|report| {
        let about = Block::Paragraph(Paragraph {
            text: report.about(),
            role: Role::About,
        });
        let title = report.product();
        let body = std::iter::once(about).chain(report.sections()).collect();
        Section::new(format!("audit-{}", report.record.database), title, body).into()
    }));
    let last = &all[all.len() - 1].record;
    Document {
        kind: "audit".to_owned(),
        name: "systems".to_owned(),
        title: format!("Security audit of {} systems", all.len()),
        about: "The servers' behaviour decides each level, not their settings.".into(),
        body,
        footer: format!("dbdyno {}, {}", last.dbdyno, last.audited_at),
        ..Document::default()
    }
}

/// The section of a study's report: of every system what the audit says, what to fix, and the table of all features. `foreign` are the
/// systems of audits that were not measured.
pub(crate) fn beside_speed(all: &[AuditReport], foreign: &[String]) -> Option<Section> {
    if all.is_empty() {
        return None;
    }
    let about = Text::from("The servers' behaviour in a separate audit (")
        .code("dbdyno audit")
        .plain(") decides each level, not their behaviour while they were measured.");
    let mut body = vec![Block::about(about)];
    if !foreign.is_empty() {
        body.push(Block::note(format!(
            "These audits are of systems other than the measured ones (another address, profile or version): {}.",
            foreign.join(", ")
        )));
    }
    body.extend(all.iter().map(AuditReport::named_verdict));
    body.push(three_layers(all));
    let findings = all.iter().filter_map(|report| {
        let blocks = report.findings_to_fix();
        let title = format!("What to fix: {}", report.product());
        (!blocks.is_empty()).then(|| Block::Details(title.into(), blocks))
    });
    body.extend(findings.collect::<Vec<_>>());
    Some(Section::new("security", "Security", body))
}

/// All features of all systems. A page has three layers of each, one below the other; a terminal has room for what was observed.
fn comparison(all: &[AuditReport]) -> Block {
    Section::new("comparison", "All features", vec![three_layers(all)]).into()
}

fn three_layers(all: &[AuditReport]) -> Block {
    let mut columns = vec![Column::header("Feature")];
    columns.extend(all.iter().map(|report| Column::words(report.product())));
    let of_features = |row: fn(&AuditReport, Feature) -> TableCell| {
        let row = move |feature: Feature| {
            let cells = all.iter().map(|report| row(report, feature));
            Row::new(std::iter::once(TableCell::new(feature.title())).chain(cells))
        };
        Feature::ALL.into_iter().map(row).collect::<Vec<Row>>()
    };
    let plain = Table::new(
        "Security features, as observed",
        columns.clone(),
        of_features(seen_of),
    );
    let layered = Table {
        groups: Feature::ALL.into_iter().map(|feature| layers(all, feature)).collect(),
        ..Table::new("Security features in three layers", columns, Vec::new()).remark(
            "What was observed on these servers; what the products can do according to their makers; and table 5.17 of the 2018 thesis. No layer is derived from another.",
        )
    };
    Block::Only(
        Media::TERMINAL | Media::MARKDOWN | Media::PAGE,
        vec![
            Block::Only(Media::TERMINAL, vec![Block::Table(plain)]),
            Block::Only(Media::MARKDOWN, vec![Block::Table(layered.clone())]),
            Block::Only(Media::PAGE, vec![Block::Table(layered)]),
        ],
    )
}

/// The layers of one feature.
fn layers(all: &[AuditReport], feature: Feature) -> RowGroup {
    let row = |name: &str, cell: &dyn Fn(&AuditReport) -> TableCell| {
        Row::new(std::iter::once(TableCell::new(name)).chain(all.iter().map(cell)))
    };
    let mut rows = vec![row("observed", &|report| seen_of(report, feature))];
    if all
        .iter()
        .any(|report| report.catalogue.of(feature).next().is_some())
    {
        rows.push(row("catalogue", &|report| report.catalogued(feature).into()).faint(true));
    }
    if all.iter().any(|report| thesis_cell(report, feature).is_some()) {
        let cell = |report: &AuditReport| thesis_cell(report, feature).unwrap_or_default().into();
        rows.push(row("thesis, 2018", &cell).faint(true));
    }
    RowGroup {
        title: feature.title().into(),
        rows,
        ..RowGroup::default()
    }
}

/// What was observed, with how much it matters.
fn seen_of(report: &AuditReport, feature: Feature) -> TableCell {
    let Some(finding) = report.record.finding(feature) else {
        return TableCell::default();
    };
    match finding.severity {
        Some(severity) => observed(finding).detail(severity.name()),
        None => observed(finding),
    }
}

/// The parts of the page of one audit.
trait AuditPage {
    fn document(&self) -> Document;
    fn about(&self) -> Text;
    fn sections(&self) -> Vec<Block>;
    /// The id of a section; several audits may share a page.
    fn id(&self, section: &str) -> String;
    fn verdict(&self) -> (Tone, String, String);
    fn named_verdict(&self) -> Block;
    fn to_fix(&self) -> Option<Block>;
    /// What needs fixing, the gravest first.
    fn findings_to_fix(&self) -> Vec<Block>;
    /// Every feature: the thesis' table of 2018, the product's catalogue of today, what was observed here.
    fn features(&self) -> Block;
    fn catalogued(&self, feature: Feature) -> String;
    fn unknown(&self) -> Option<Block>;
    fn revocations(&self) -> Option<Block>;
    fn evidence(&self) -> Block;
}

impl AuditPage for AuditReport {
    fn document(&self) -> Document {
        let record = &self.record;
        let (tone, label, text) = self.verdict();
        let mut body = vec![Block::Verdict(Verdict {
            tone,
            label,
            text: text.into(),
            is_headline: true,
        })];
        body.extend(self.sections());
        Document {
            kind: "audit".to_owned(),
            name: record.database.clone(),
            title: format!("Security audit of {}", self.product()),
            about: self
                .about()
                .plain(" The server's behaviour decides each level, not its settings."),
            body,
            footer: format!("dbdyno {}, {}", record.dbdyno, record.audited_at),
            ..Document::default()
        }
    }

    fn about(&self) -> Text {
        let record = &self.record;
        let access: Vec<&str> = record.access.iter().map(|access| access.name()).collect();
        Text::new()
            .plain(format!("{} at ", self.product()))
            .code(&record.system)
            .plain(format!(
                ", seen from {} with access to: {}.",
                record.from.join(" and "),
                access.join(", ")
            ))
    }

    fn sections(&self) -> Vec<Block> {
        let mut body: Vec<Block> = self.to_fix().into_iter().collect();
        body.push(self.features());
        body.extend(self.unknown());
        body.extend(self.revocations());
        body.push(self.evidence());
        if !self.record.left_behind.is_empty() {
            let items = Block::bullets(self.record.left_behind.clone());
            body.push(Section::new(self.id("left"), "Left behind", vec![items]).into());
        }
        body
    }

    /// The id of a section; several audits may share a page.
    fn id(&self, section: &str) -> String {
        format!("{section}-{}", self.record.database)
    }

    fn verdict(&self) -> (Tone, String, String) {
        let record = &self.record;
        let count = |severity| {
            let is_of = |finding: &&AuditFinding| finding.severity == Some(severity);
            record.findings.iter().filter(is_of).count()
        };
        let grave: Vec<String> = AuditSeverity::ALL
            .into_iter()
            .rev()
            .filter(|severity| count(*severity) > 0)
            .map(|severity| format!("{} {}", count(severity), severity.name()))
            .collect();
        let levels: Vec<String> = ProtectionLevel::ALL
            .into_iter()
            .filter(|level| record.count(*level) > 0)
            .map(|level| format!("{} {}", record.count(level), level.name()))
            .collect();
        let is_seen = record.findings.len() > record.count(ProtectionLevel::Unknown);
        let found = match (grave.is_empty(), is_seen) {
            (true, true) => "Nothing to fix in what was observed".to_owned(),
            (true, false) => "Nothing was observed".to_owned(),
            (false, _) => format!("To fix: {}", grave.join(", ")),
        };
        let text = format!(
            "{found}. Of {} features: {}.",
            record.findings.len(),
            levels.join(", ")
        );
        let (tone, label) = match record.gravest() {
            Some(gravest) => (tone(gravest), gravest.name()),
            None if is_seen && !record.has_gaps() => (Tone::Good, "sound"),
            None if is_seen => (Tone::Plain, "no finding"),
            None => (Tone::Plain, "not observed"),
        };
        (tone, label.to_owned(), text)
    }

    fn named_verdict(&self) -> Block {
        let (tone, label, text) = self.verdict();
        Block::Verdict(Verdict {
            tone,
            label,
            text: Text::new().strong(self.product()).plain(format!(": {text}")),
            is_headline: false,
        })
    }

    fn to_fix(&self) -> Option<Block> {
        let blocks = self.findings_to_fix();
        (!blocks.is_empty()).then(|| Section::new(self.id("fix"), "What to fix", blocks).into())
    }

    /// What needs fixing, the gravest first.
    fn findings_to_fix(&self) -> Vec<Block> {
        let mut findings: Vec<&AuditFinding> = self
            .record
            .findings
            .iter()
            .filter(|finding| finding.severity.is_some())
            .collect();
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        findings.into_iter().map(finding).collect()
    }

    /// Every feature: the thesis' table of 2018, the product's catalogue of today, what was observed here.
    fn features(&self) -> Block {
        let has_thesis = Feature::ALL
            .into_iter()
            .any(|feature| thesis_cell(self, feature).is_some());
        let mut columns = vec![Column::header("Feature")];
        if has_thesis {
            columns.push(Column::words("Thesis, 2018").minor());
        }
        columns.push(
            Column::words(format!("Catalogue, {}", self.catalogue.as_of))
                .minor()
                .long(),
        );
        columns.push(Column::words("Observed here"));
        columns.push(Column::words("Severity"));
        columns.push(Column::words("What was seen").only(Media::PAGE).long());
        let rows = self.record.findings.iter().map(|finding| {
            let mut cells = vec![TableCell::new(finding.feature.title())];
            if has_thesis {
                cells.push(thesis_cell(self, finding.feature).unwrap_or_default().into());
            }
            cells.push(self.catalogued(finding.feature).into());
            cells.push(observed(finding));
            cells.push(match finding.severity {
                Some(severity) => TableCell::new(severity.name()).toned(tone(severity)),
                None => TableCell::default(),
            });
            cells.push(marked(&finding.summary).into());
            Row::new(cells)
        });
        let mut body = vec![Block::Table(
            Table::new("Security features", columns, rows.collect()).remark(
                "The catalogue lists what the product can do according to its makers; the observation is what this server did.",
            ),
        )];
        let changed: Vec<String> = self
            .catalogue
            .capabilities
            .iter()
            .filter(|capability| !capability.out_of_date.is_empty())
            .map(|capability| {
                format!(
                    "{} ({}): {}",
                    capability.feature.title(),
                    capability.edition,
                    capability.out_of_date
                )
            })
            .collect();
        if !changed.is_empty() {
            body.push(Block::paragraph("Out of date in table 5.17 of the thesis:"));
            body.push(Block::bullets(changed));
        }
        Section::new(self.id("features"), "Features", body).into()
    }

    fn catalogued(&self, feature: Feature) -> String {
        let entries: Vec<String> = self
            .catalogue
            .of(feature)
            .map(|capability| {
                let since = if capability.since.is_empty() {
                    String::new()
                } else {
                    format!(" since {}", capability.since)
                };
                format!(
                    "{} ({}{since}): {}",
                    capability.support.name(),
                    capability.edition,
                    capability.means
                )
            })
            .collect();
        entries.join("; ")
    }

    fn unknown(&self) -> Option<Block> {
        let unknown: Vec<(&AuditFinding, UnknownReason)> = self
            .record
            .findings
            .iter()
            .filter_map(|finding| Some((finding, finding.why_not_known?)))
            .collect();
        // Several features may be unknown for one reason: those that were not asked for, say.
        let mut reasons: Vec<(UnknownReason, &str, Vec<&str>)> = Vec::new();
        for (finding, why) in unknown {
            let same = |reason: &&mut (UnknownReason, &str, Vec<&str>)| {
                (reason.0, reason.1) == (why, finding.summary.as_str())
            };
            match reasons.iter_mut().find(same) {
                Some((_, _, features)) => features.push(finding.feature.title()),
                None => reasons.push((why, &finding.summary, vec![finding.feature.title()])),
            }
        }
        let item = |(why, summary, features): (UnknownReason, &str, Vec<&str>)| {
            marked(&format!("{} ({}): {summary}", features.join(", "), why.name()))
        };
        let items: Vec<Text> = reasons.into_iter().map(item).collect();
        (!items.is_empty()).then(|| {
            let about = Block::about("Unknown is not a pass: the reason says what would show it.");
            Section::new(
                "unknown",
                "What could not be observed",
                vec![about, Block::bullets(items)],
            )
            .into()
        })
    }

    fn revocations(&self) -> Option<Block> {
        let all = self
            .record
            .findings
            .iter()
            .flat_map(|finding| &finding.revocations);
        let rows: Vec<Row> = all.map(revocation).collect();
        let columns = vec![
            Column::header("Withdrawn, then tried"),
            Column::numbers("Median"),
            Column::numbers("95% interval"),
            Column::numbers("Repetitions"),
        ];
        (!rows.is_empty()).then(|| {
            let table = Table::new("Time to revoke", columns, rows);
            Section::new(self.id("revocation"), "Time to revoke", vec![Block::Table(table)]).into()
        })
    }

    fn evidence(&self) -> Block {
        let columns = || {
            vec![
                Column::header("Probe"),
                Column::words("From"),
                Column::words("Sent").long(),
                Column::words("Got").long(),
                Column::words("At"),
            ]
        };
        let of_features = self
            .record
            .findings
            .iter()
            .filter(|finding| !finding.evidence.is_empty());
        let details = of_features.map(|finding| {
            let rows = finding.evidence.iter().map(|evidence| {
                Row::new([
                    evidence.probe.as_str(),
                    &evidence.from,
                    &evidence.sent,
                    &evidence.got,
                    &evidence.at,
                ])
            });
            let table = Table::new(finding.feature.title(), columns(), rows.collect());
            Block::Details(finding.feature.title().into(), vec![Block::Table(table)])
        });
        Section::new(self.id("evidence"), "Evidence", details.collect()).into()
    }
}

const fn tone(severity: AuditSeverity) -> Tone {
    match severity {
        AuditSeverity::Critical | AuditSeverity::High => Tone::Bad,
        AuditSeverity::Medium => Tone::Warning,
        AuditSeverity::Low => Tone::Faint,
    }
}

fn observed(finding: &AuditFinding) -> TableCell {
    let tone = match finding.level {
        ProtectionLevel::Enforced => Tone::Good,
        ProtectionLevel::Partial => Tone::Warning,
        ProtectionLevel::SupportedOff | ProtectionLevel::Unsupported if finding.severity.is_some() => {
            Tone::Bad
        }
        ProtectionLevel::SupportedOff
        | ProtectionLevel::Unsupported
        | ProtectionLevel::NotApplicable
        | ProtectionLevel::Unknown => Tone::Faint,
    };
    let cell = TableCell::new(finding.level.name()).toned(tone);
    match (finding.scope, finding.why_not_known) {
        (_, Some(why)) => cell.detail(why.name()),
        (Scope::Volume, None) => cell.detail("of the volume"),
        (Scope::Engine | Scope::Network, None) => cell,
    }
}

fn finding(finding: &AuditFinding) -> Block {
    let severity = finding.severity;
    let mut body = vec![marked(&finding.summary)];
    if !finding.reference.is_empty() {
        let mut text = Text::new().plain("See ");
        for (index, address) in finding.reference.iter().enumerate() {
            text = text
                .plain(if index == 0 { "" } else { ", " })
                .link(address, address);
        }
        body.push(text);
    }
    Block::Finding(Finding {
        tone: severity.map_or(Tone::Plain, tone),
        label: severity.map_or("", AuditSeverity::name).to_owned(),
        title: Text::new()
            .strong(finding.feature.title())
            .plain(format!(": {}", finding.level.name())),
        body,
        remedy: (!finding.fix.is_empty()).then(|| marked(&finding.fix)),
        ..Finding::default()
    })
}

fn revocation(revocation: &Revocation) -> Row {
    let seconds = |value: f64| number::duration_ns(value * 1e9);
    let median = match revocation.median_seconds {
        Some(median) => seconds(median),
        None => format!("not within {}", seconds(revocation.patience_seconds)),
    };
    let interval = revocation
        .interval_seconds
        .map_or_else(String::new, |(low, high)| {
            format!("{} to {}", seconds(low), seconds(high))
        });
    Row::new([
        revocation.what.clone(),
        median,
        interval,
        revocation.seconds.len().to_string(),
    ])
}
