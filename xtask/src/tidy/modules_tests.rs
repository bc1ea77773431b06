use super::*;

fn planted(files: &[(&str, &str)]) -> Crate {
    let mut planted = Crate::default();
    for (module, text) in files {
        let module: ModulePath = module
            .split("::")
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect();
        planted.add(text, module).unwrap();
    }
    planted
}

fn circles(files: &[(&str, &str)]) -> Vec<Vec<String>> {
    planted(files).circles()
}

const A_AND_B: [[&str; 2]; 1] = [["a", "b"]];

#[test]
fn planted_circles_are_found() {
    let root = "mod a; mod b;";
    for (a, b) in [
        ("use crate::b::B; pub struct A;", "use crate::a::A; pub struct B;"),
        (
            "use crate::b; pub fn a() { b::b() }",
            "pub fn b() { super::a::a() }",
        ),
        (
            "pub fn a() -> super::b::B { todo() }",
            "use super::{a as other}; pub struct B;",
        ),
        (
            "pub fn a() { show!(\"{}\", crate::b::b()) }",
            "use crate::a::*; pub fn b() {}",
        ),
        (
            "mod inner { use crate::b::B; } pub struct A;",
            "use crate::a::A; pub struct B;",
        ),
    ] {
        assert_eq!(circles(&[("", root), ("a", a), ("b", b)]), A_AND_B, "{a} / {b}");
    }
    let facade = "mod a; mod b; pub use a::A; pub use b::B;";
    let behind = [
        ("", facade),
        ("a", "use crate::B; pub struct A;"),
        ("b", "pub fn b(_: crate::A) {} pub struct B;"),
    ];
    assert_eq!(circles(&behind), A_AND_B);
    let third = [
        ("", "mod a; mod b; mod c;"),
        ("a", "use crate::b::B;"),
        ("b", "use crate::c::C;"),
        ("c", "use crate::a::A;"),
    ];
    assert_eq!(circles(&third), [["a", "b", "c"]]);
    let around = [
        ("", "mod a; mod b;"),
        ("a", "mod c; use c::C; pub struct A;"),
        ("a::c", "use crate::b::B; pub struct C;"),
        ("b", "use crate::a::A; pub struct B;"),
    ];
    assert_eq!(circles(&around), [["a", "a::c", "b"]]);
}

#[test]
fn circles_through_declarations_for_others_are_found() {
    let of_a_sibling = [
        ("", "mod a; mod b;"),
        ("a", "pub use crate::b::B; pub struct A;"),
        ("b", "use crate::a::A; pub struct B;"),
    ];
    assert_eq!(circles(&of_a_sibling), A_AND_B);
    let of_all = [
        ("", "mod a; mod b; pub use a::*; pub use b::*;"),
        ("a", "pub fn a() { crate::b() }"),
        ("b", "use crate::A; pub fn b() {}"),
    ];
    assert_eq!(circles(&of_all), Vec::<Vec<String>>::new(), "there is no `A`");
    let of_all = [
        of_all[0],
        ("a", "pub fn a(_: crate::B) {} pub struct A;"),
        ("b", "use crate::A; pub struct B;"),
    ];
    assert_eq!(circles(&of_all), A_AND_B);
}

#[test]
fn circles_through_an_ancestor_are_found() {
    let root = ("", "mod a; mod b;");
    let child = ("a::c", "use super::A; pub struct C;");
    let back = [
        root,
        ("a", "mod c; use crate::b::B; pub struct A;"),
        child,
        ("b", "use crate::a::c::C; pub struct B;"),
    ];
    assert_eq!(circles(&back), [["a", "a::c", "b"]]);
    let one_way = [root, back[1], child, ("b", "pub struct B;")];
    assert_eq!(circles(&one_way), Vec::<Vec<String>>::new());
    let far_above = [
        ("", "mod a; mod b;"),
        ("a", "mod c; use crate::b::B;"),
        ("a::c", "mod d;"),
        ("a::c::d", "use super::super::super::b;"),
        ("b", "use crate::a::c; fn b() { c::d::d() }"),
    ];
    assert_eq!(circles(&far_above), [["a::c::d", "b"]]);
}

#[test]
fn folders_that_look_back_are_found() {
    let root = (
        "",
        "mod file; mod plan; mod run; pub use plan::Plan; pub use run::deep::*;",
    );
    let plan = ("plan", "use crate::file::File; pub struct Plan;");
    let deep = (
        "run::deep",
        "use super::super::plan; use crate::Plan; pub struct Deep;",
    );
    let forward = [
        root,
        ("file", "mod key; pub use key::File;"),
        (
            "file::key",
            "pub struct File; #[cfg(test)] mod tests { use crate::Plan; }",
        ),
        plan,
        ("run", "mod deep; use crate::file;"),
        deep,
    ];
    let stages = ["file", "plan", "run"];
    assert_eq!(planted(&forward).looks_back(&stages), Vec::<String>::new());
    for (text, expected) in [
        ("use crate::Plan; pub struct File;", "file::key -> plan"),
        (
            "use super::super::plan::Plan; pub struct File;",
            "file::key -> plan",
        ),
        ("use crate::plan; fn a() { plan::a() }", "file::key -> plan"),
        ("pub struct File(crate::Deep);", "file::key -> run::deep"),
        ("pub use crate::run::deep::Deep;", "file::key -> run::deep"),
    ] {
        let mut back = forward;
        back[2].1 = text;
        assert_eq!(planted(&back).looks_back(&stages), [expected], "{text}");
    }
    assert_eq!(
        planted(&forward).looks_back(&["file", "plan"]),
        ["run is no stage"]
    );
}

#[test]
fn parents_children_and_tests_are_no_circles() {
    let sound = [
        (
            "",
            "mod a; mod b; pub use a::A; fn all() { b::b() } pub struct Shared;",
        ),
        ("a", "mod c; pub use c::C; pub struct A(C); pub fn helper() {}"),
        ("a::c", "use super::helper; use crate::Shared; pub struct C;"),
        (
            "b",
            "use crate::A; use std::fmt; pub fn b() {} #[cfg(test)] mod tests { use crate::a::c; }",
        ),
    ];
    assert_eq!(circles(&sound), Vec::<Vec<String>>::new());
    let tested = [
        ("", "mod a; mod b;"),
        ("a", "#[cfg(test)] use crate::b::B; pub struct A;"),
        ("b", "use crate::a::A;"),
    ];
    assert_eq!(circles(&tested), Vec::<Vec<String>>::new());
}
