//! A document with every node, and one text in every place that takes text.

use dbdyno_document::{
    Block, Column, Document, Explanation, Figure, Filter, Finding, Inline, Item, List, ListStyle, Mark,
    Media, Notice, Order, Row, RowGroup, Section, Table, TableCell, Text, Ticks, Tile, Tone, Verdict,
};

/// The document. `word` is said wherever something can be said.
pub fn everything(word: &str) -> Document {
    Document {
        kind: word.to_owned(),
        name: word.to_owned(),
        title: word.to_owned(),
        about: rich(word),
        body: vec![
            Block::Section(Section {
                is_answer: true,
                ..Section::new("answer", word, statements(word))
            }),
            Block::Section(Section {
                is_subordinate: true,
                ..Section::new("lists", rich(word), lists(word))
            }),
            Section::new(
                "tables",
                word,
                vec![Block::Table(table(word)), Block::Table(filtered(word))],
            )
            .into(),
            Section::new(
                "figures",
                word,
                vec![Block::Figures(vec![figure(word), figure(word)])],
            )
            .into(),
        ],
        colors: [(word.to_owned(), 1)].into(),
        footer: word.to_owned(),
        has_contents: true,
        nesting: 0,
    }
}

/// Every kind of inline text.
fn rich(word: &str) -> Text {
    Text::from(word)
        .strong(word)
        .plain(word)
        .emphasis(word)
        .plain(" and ")
        .code(word)
        .plain(word)
        .anchor(word, "lists")
        .link(word, "trials/one/record.json")
        .name(word)
        .toned(Tone::Good, word)
        .with(Inline::Bar(0.5))
        .with(Inline::Mark(mark()))
        .with(Inline::Series(vec![Inline::Plain(word.to_owned()); 5]))
        .references(&[3, 1, 2])
}

fn mark() -> Mark {
    Mark {
        sign: "▲",
        meaning: "shown best",
        tone: Tone::Good,
    }
}

fn statements(word: &str) -> Vec<Block> {
    let verdict = |tone, is_headline| {
        Block::Verdict(Verdict {
            tone,
            label: word.to_owned(),
            text: rich(word),
            is_headline,
        })
    };
    vec![
        verdict(Tone::Good, true),
        Block::about(rich(word)),
        verdict(Tone::Faint, false),
        verdict(Tone::Warning, false),
        Block::paragraph(rich(word)),
        Block::note(word),
        Block::Notice(Notice {
            tone: Tone::Bad,
            label: word.to_owned(),
            text: rich(word),
        }),
        Block::Finding(Finding {
            tone: Tone::Warning,
            label: word.to_owned(),
            title: rich(word),
            body: vec![word.into(), word.into()],
            remedy: Some(word.into()),
            place: Some(word.into()),
            more: vec![Block::Details(word.into(), vec![Block::bullets([word])])],
        }),
        Block::Beside(vec![
            Section::new("", word, vec![Block::paragraph(word)]),
            Section::new("", word, vec![Block::bullets([word])]),
        ]),
    ]
}

fn lists(word: &str) -> Vec<Block> {
    // Code keeps its lines, so they are as many as there are.
    let line = word.replace(['\n', '\r'], " ");
    vec![
        Block::bullets([rich(word), word.into()]),
        Block::paragraph(word),
        Block::List(List {
            style: ListStyle::Numbers,
            items: vec![Item {
                text: word.into(),
                body: vec![Block::Details(
                    word.into(),
                    vec![Block::Code("toml", format!("a = 1\n{line}\n"))],
                )],
            }],
        }),
        Block::list(ListStyle::References, [word, word, word]),
        Block::Facts(vec![(word.into(), word.into()), (rich(word), rich(word))]),
        Block::Tiles(vec![Tile::new(word, rich(word)).detail(word)]),
        Block::Code("text", line),
        Block::Only(Media::TERMINAL | Media::MARKDOWN, vec![Block::paragraph(word)]),
        Section::new("inner", word, vec![Block::paragraph(word)]).into(),
    ]
}

fn table(word: &str) -> Table {
    let columns = vec![
        Column::header(word),
        Column::numbers(rich(word)),
        Column::words(word).minor(),
        Column::words(word).only(Media::PAGE).long(),
    ];
    let row = Row {
        note: word.into(),
        ..Row::new([
            TableCell::new(word),
            TableCell::new(word)
                .detail(word)
                .marked(Some(mark()))
                .toned(Tone::Good),
            TableCell {
                explanation: Some(Explanation::Folded(vec![word.into()])),
                ..TableCell::new(rich(word))
            },
            TableCell::new(word).explained(word),
        ])
    };
    Table {
        spans: vec![(Text::new(), 1), (word.into(), 3)],
        label: word.to_owned(),
        is_overview: true,
        ..Table::new(word, columns, vec![row.clone(), row.faint(true)]).remark(word)
    }
}

fn filtered(word: &str) -> Table {
    let columns = vec![
        Column::words(word),
        Column::numbers(word).sorted(Order::Descending),
    ];
    Table {
        groups: vec![RowGroup {
            title: word.into(),
            about: word.into(),
            rows: vec![Row {
                keys: vec![("product", word.to_owned())],
                tick: Some(word.to_owned()),
                ..Row::new([TableCell::new(word), TableCell::new(word).valued(1.5)])
            }],
            keys: vec![("workload", word.to_owned())],
        }],
        ticks: Some(Ticks {
            action: "/compare",
            name: "results",
            button: "Compare",
            hint: word.into(),
        }),
        filters: vec![
            Filter {
                label: "Product",
                key: "product",
            },
            Filter {
                label: "Workload",
                key: "workload",
            },
        ],
        ..Table::new(word, columns, Vec::new())
    }
}

fn figure(word: &str) -> Figure {
    Figure {
        name: "throughput".to_owned(),
        title: word.to_owned(),
        description: word.to_owned(),
        width: 320.0,
        height: 100.0,
        content: maud::html! { text class="name" x="0" y="1" { (word) } },
        data: "system,value\na,1\n".to_owned(),
    }
}
