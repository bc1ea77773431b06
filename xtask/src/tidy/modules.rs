//! The files of one crate as a graph: a file points to the files whose items it uses.
//!
//! What a file declares again for others (`pub use`) is followed to the file that defines it, so that a circle is seen behind
//! a facade, too. Code under `#[cfg(test)]` does not count: a test may look anywhere.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};

use crate::process::Result;

/// The path of a module below the crate: `["model", "ladder"]`; empty: the crate itself.
type ModulePath = Vec<String>;

/// How often a name is followed through declarations of other modules before it is taken for a loop of names.
const MOST_STEPS: usize = 16;

/// The modules of a crate.
#[derive(Default)]
pub struct Crate {
    modules: BTreeMap<ModulePath, Module>,
}

#[derive(Default)]
struct Module {
    /// The module whose file it stands in: itself, except for modules within a file.
    file: ModulePath,
    /// What its `use` declarations name, by the name that they give it.
    names: BTreeMap<String, Named>,
    /// Paths in its code.
    used: BTreeSet<Vec<String>>,
}

struct Named {
    path: Vec<String>,
    /// Declared for others; no use by itself.
    is_public: bool,
}

impl Crate {
    /// Reads the crate whose first file is `root` (`src/lib.rs`).
    ///
    /// # Errors
    /// When a file cannot be read or is no Rust.
    pub fn read(root: &Path) -> Result<Self> {
        let mut files = Self::default();
        let folder = root.parent().unwrap_or(Path::new("")).to_owned();
        files.read_file(root, &folder, Vec::new())?;
        Ok(files)
    }

    fn read_file(&mut self, path: &Path, folder: &Path, module: ModulePath) -> Result<()> {
        let shown = path.display();
        let text = std::fs::read_to_string(path).map_err(|error| format!("{shown}: {error}"))?;
        for child in self
            .add(&text, module.clone())
            .map_err(|error| format!("{shown}: {error}"))?
        {
            let name = child.last().expect("a child has a name");
            let below = child[module.len()..child.len() - 1]
                .iter()
                .fold(folder.to_owned(), |at, part| at.join(part));
            let candidates: [PathBuf; 2] =
                [below.join(format!("{name}.rs")), below.join(name).join("mod.rs")];
            if let Some(found) = candidates.iter().find(|candidate| candidate.is_file()) {
                self.read_file(found, &below.join(name), child.clone())?;
            }
        }
        Ok(())
    }

    /// Adds a file's text as that module. Returns the modules that it declares in files of their own.
    fn add(&mut self, text: &str, module: ModulePath) -> syn::Result<Vec<ModulePath>> {
        let parsed = syn::parse_file(text)?;
        let mut reader = Reader {
            modules: &mut self.modules,
            file: module.clone(),
            module,
            children: Vec::new(),
        };
        reader.enter();
        reader.visit_file(&parsed);
        Ok(reader.children)
    }

    /// The files that each file uses. A child's use of what its ancestors hold is left out.
    fn edges(&self) -> BTreeMap<&ModulePath, BTreeSet<&ModulePath>> {
        let mut edges: BTreeMap<&ModulePath, BTreeSet<&ModulePath>> = BTreeMap::new();
        for (path, module) in &self.modules {
            let declared = module
                .names
                .values()
                .filter(|named| !named.is_public)
                .map(|named| &named.path);
            for used in declared.chain(&module.used) {
                let Some(target) = self.resolve(path, used, MOST_STEPS) else {
                    continue;
                };
                let target = &self.modules[&target].file;
                if !module.file.starts_with(target) {
                    edges.entry(&module.file).or_default().insert(target);
                }
            }
        }
        edges
    }

    /// The module that holds what a path in `module` names; `None`: another crate's.
    fn resolve(&self, module: &[String], path: &[String], steps: usize) -> Option<ModulePath> {
        let steps = steps.checked_sub(1)?;
        let (first, rest) = path.split_first()?;
        let (mut at, rest) = match first.as_str() {
            "crate" => (Vec::new(), rest),
            "self" => (module.to_vec(), rest),
            "super" => {
                let above = module.split_last()?.1;
                let mut rest: Vec<String> = rest.to_vec();
                // What is above is a place like any other: `super::super::a`.
                rest.insert(0, "self".to_owned());
                while rest.get(1).is_some_and(|part| part == "super") {
                    rest.remove(0);
                }
                return self.resolve(above, &rest, steps);
            }
            _ => {
                let known = self.modules.contains_key(&joined(module, first))
                    || self.modules.get(module)?.names.contains_key(first);
                if !known {
                    return None;
                }
                (module.to_vec(), path)
            }
        };
        for (position, part) in rest.iter().enumerate() {
            let below = joined(&at, part);
            if self.modules.contains_key(&below) {
                at = below;
                continue;
            }
            let Some(named) = self.modules.get(&at).and_then(|module| module.names.get(part)) else {
                break;
            };
            let mut followed = named.path.clone();
            followed.extend_from_slice(&rest[position + 1..]);
            return self.resolve(&at, &followed, steps);
        }
        self.modules.contains_key(&at).then_some(at)
    }

    /// Groups of files that use each other in a circle, each group sorted; the crate's own file is called `crate`.
    #[must_use]
    pub fn circles(&self) -> Vec<Vec<String>> {
        let edges = self.edges();
        let reached: BTreeMap<&ModulePath, BTreeSet<&ModulePath>> = edges
            .keys()
            .map(|start| (*start, reachable(&edges, start)))
            .collect();
        let mut circles = BTreeSet::new();
        for (start, ends) in &reached {
            let group: Vec<String> = ends
                .iter()
                .filter(|end| reached.get(**end).is_some_and(|back| back.contains(*start)))
                .map(|module| shown(module))
                .collect();
            if group.len() > 1 {
                circles.insert(group);
            }
        }
        circles.into_iter().collect()
    }

    /// The uses among the files of a group, for the person who breaks the circle.
    #[must_use]
    pub fn uses_within(&self, group: &[String]) -> Vec<String> {
        let mut uses = Vec::new();
        for (from, targets) in self.edges() {
            for to in targets {
                if group.contains(&shown(from)) && group.contains(&shown(to)) {
                    uses.push(format!("{} -> {}", shown(from), shown(to)));
                }
            }
        }
        uses
    }
}

fn shown(module: &ModulePath) -> String {
    if module.is_empty() {
        "crate".to_owned()
    } else {
        module.join("::")
    }
}

fn joined(module: &[String], name: &str) -> ModulePath {
    let mut path = module.to_vec();
    path.push(name.to_owned());
    path
}

/// All that can be reached from `start` by at least one step.
fn reachable<'a>(
    edges: &BTreeMap<&'a ModulePath, BTreeSet<&'a ModulePath>>,
    start: &ModulePath,
) -> BTreeSet<&'a ModulePath> {
    let mut reached = BTreeSet::new();
    let mut left: Vec<&ModulePath> = edges.get(start).into_iter().flatten().copied().collect();
    while let Some(next) = left.pop() {
        if reached.insert(next) {
            left.extend(edges.get(next).into_iter().flatten().copied());
        }
    }
    reached
}

/// Collects names and paths of one file.
struct Reader<'a> {
    modules: &'a mut BTreeMap<ModulePath, Module>,
    file: ModulePath,
    module: ModulePath,
    children: Vec<ModulePath>,
}

impl Reader<'_> {
    fn enter(&mut self) {
        let file = self.file.clone();
        self.modules.entry(self.module.clone()).or_default().file = file;
    }

    fn current(&mut self) -> &mut Module {
        self.modules.entry(self.module.clone()).or_default()
    }

    /// Notes the names that a `use` declares.
    fn declare(&mut self, tree: &syn::UseTree, before: &[String], is_public: bool) {
        let (name, path) = match tree {
            syn::UseTree::Path(path) => {
                return self.declare(&path.tree, &joined(before, &path.ident.to_string()), is_public);
            }
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.declare(tree, before, is_public);
                }
                return;
            }
            // All that is in a module: the use is the module's, no name is known.
            syn::UseTree::Glob(_) => (format!("{}::*", before.join("::")), before.to_vec()),
            syn::UseTree::Name(name) if name.ident == "self" => {
                (before.last().cloned().unwrap_or_default(), before.to_vec())
            }
            syn::UseTree::Name(name) => (name.ident.to_string(), joined(before, &name.ident.to_string())),
            syn::UseTree::Rename(rename) => (
                rename.rename.to_string(),
                joined(before, &rename.ident.to_string()),
            ),
        };
        // A name that stands for itself would be followed for ever: `use serde;`.
        if path.len() > 1 || path.first() != Some(&name) {
            self.current().names.insert(name, Named { path, is_public });
        }
    }

    /// Notes paths in the text of a macro's call, which no grammar describes.
    fn read_tokens(&mut self, tokens: proc_macro2::TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                proc_macro2::TokenTree::Ident(name) => {
                    if colons != 2 {
                        path.clear();
                    }
                    path.push(name.to_string());
                    self.note(path.clone());
                    colons = 0;
                }
                proc_macro2::TokenTree::Punct(sign) if sign.as_char() == ':' => colons += 1,
                proc_macro2::TokenTree::Group(group) => {
                    self.read_tokens(group.stream());
                    path.clear();
                    colons = 0;
                }
                _ => {
                    path.clear();
                    colons = 0;
                }
            }
        }
    }

    fn note(&mut self, path: Vec<String>) {
        if path.len() > 1
            || self
                .current()
                .names
                .get(&path[0])
                .is_some_and(|named| named.is_public)
        {
            self.current().used.insert(path);
        }
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let attributes = match item {
            syn::Item::Mod(item) => &item.attrs,
            syn::Item::Use(item) => &item.attrs,
            syn::Item::Fn(item) => &item.attrs,
            syn::Item::Impl(item) => &item.attrs,
            _ => return visit::visit_item(self, item),
        };
        if !attributes.iter().any(is_for_tests) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.module.push(item.ident.to_string());
        if item.content.is_some() {
            self.enter();
            visit::visit_item_mod(self, item);
        } else {
            self.children.push(self.module.clone());
        }
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let is_public = !matches!(item.vis, syn::Visibility::Inherited);
        self.declare(&item.tree, &[], is_public);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.note(
            path.segments
                .iter()
                .map(|segment| segment.ident.to_string())
                .collect(),
        );
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.visit_path(&call.path);
        self.read_tokens(call.tokens.clone());
    }

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}
}

/// Whether it is `#[cfg(test)]`, alone or with more.
fn is_for_tests(attribute: &syn::Attribute) -> bool {
    attribute.path().is_ident("cfg")
        && matches!(&attribute.meta, syn::Meta::List(list) if list.tokens.to_string().split(|sign: char| !sign.is_alphanumeric()).any(|word| word == "test"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circles(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        let mut planted = Crate::default();
        for (module, text) in files {
            let module: ModulePath = module
                .split("::")
                .filter(|part| !part.is_empty())
                .map(str::to_owned)
                .collect();
            planted.add(text, module).unwrap();
        }
        planted.circles()
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
}
