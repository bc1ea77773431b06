//! The files of one crate as a graph: a file points to the files whose items it uses.
//!
//! What a file declares again for others (`pub use`, also of all that a module holds) is followed to the file that defines it, so that
//! a circle is seen behind a facade, too; and it is a use, except of the file's own children. A module and its children may use each
//! other, but a circle that leaves them and comes back through one of them is one. Code under `#[cfg(test)]` does not count: a test may
//! look anywhere.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};

use crate::process::Result;

/// The path of a module below the crate: `["model", "rising_load"]`; empty: the crate itself.
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
    /// Modules of which it declares again all that they hold.
    all_of: Vec<Vec<String>>,
    /// What it defines.
    items: BTreeSet<String>,
    /// Paths in its code.
    used: BTreeSet<Vec<String>>,
}

/// Which files use which.
type Edges<'a> = BTreeMap<&'a ModulePath, BTreeSet<&'a ModulePath>>;

struct Named {
    path: Vec<String>,
    /// Declared for others.
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

    /// The files that each file uses. The crate's own file is used by all that it declares, so it counts as a user alone.
    fn edges(&self) -> Edges<'_> {
        let mut edges = Edges::new();
        for (path, module) in &self.modules {
            let used = module.used.iter().map(|path| (path, false));
            let named = module.names.values().map(|named| (&named.path, named.is_public));
            for (used, is_public) in used.chain(named) {
                let Some(target) = self.resolve(path, used, MOST_STEPS) else {
                    continue;
                };
                let target = &self.modules[&target].file;
                let is_own_child = is_public && target.starts_with(&module.file);
                if *target != module.file && !target.is_empty() && !is_own_child {
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
                // What is above is a place like any other: `super::super::a`.
                if rest.first().is_some_and(|part| part == "super") {
                    return self.resolve(above, rest, steps);
                }
                let mut rest: Vec<String> = rest.to_vec();
                rest.insert(0, "self".to_owned());
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
            let Some(module) = self.modules.get(&at) else {
                break;
            };
            if let Some(named) = module.names.get(part) {
                let mut followed = named.path.clone();
                followed.extend_from_slice(&rest[position + 1..]);
                return self.resolve(&at, &followed, steps);
            }
            if !module.items.contains(part)
                && let Some(found) = module
                    .all_of
                    .iter()
                    .find_map(|all| self.resolve_within(&at, all, &rest[position..], steps))
            {
                return Some(found);
            }
            break;
        }
        self.modules.contains_key(&at).then_some(at)
    }

    /// The module that holds what a path names in the module `all`, of which `module` declares all again; `None`: it is not in there.
    fn resolve_within(
        &self,
        module: &[String],
        all: &[String],
        path: &[String],
        steps: usize,
    ) -> Option<ModulePath> {
        let steps = steps.checked_sub(1)?;
        let within = self.resolve(module, all, steps)?;
        let name = path.first()?;
        let holder = &self.modules[&within];
        let is_there = holder.items.contains(name)
            || holder.names.contains_key(name)
            || self.modules.contains_key(&joined(&within, name));
        if is_there {
            let mut path = path.to_vec();
            path.insert(0, "self".to_owned());
            return self.resolve(&within, &path, steps);
        }
        holder
            .all_of
            .iter()
            .find_map(|all| self.resolve_within(&within, all, path, steps))
    }

    /// Groups of files that use each other in a circle, each group sorted.
    #[must_use]
    pub fn circles(&self) -> Vec<Vec<String>> {
        let edges = self.edges();
        let without_ancestors = edges
            .iter()
            .map(|(from, to)| {
                (
                    *from,
                    to.iter().copied().filter(|to| !from.starts_with(to)).collect(),
                )
            })
            .collect();
        let inner = groups(&without_ancestors);
        // A circle that goes through an ancestor counts where it leaves the folder of that ancestor.
        let outer = groups(&edges).into_iter().filter(|group| {
            let is_above_all = |above: &&ModulePath| group.iter().all(|module| module.starts_with(above));
            !group.iter().any(is_above_all) && !inner.iter().any(|inner| inner.is_subset(group))
        });
        let all: BTreeSet<_> = inner.iter().cloned().chain(outer).collect();
        all.into_iter()
            .map(|group| group.into_iter().map(shown).collect())
            .collect()
    }

    /// Where the crate's folders look back: uses of a later one of these `stages` by an earlier one, and folders that are none of them.
    #[must_use]
    pub fn looks_back(&self, stages: &[&str]) -> Vec<String> {
        let place = |module: &ModulePath| {
            stages
                .iter()
                .position(|stage| Some(*stage) == module.first().map(String::as_str))
        };
        let unplaced = self
            .modules
            .keys()
            .filter(|module| module.len() == 1 && place(module).is_none())
            .map(|module| format!("{} is no stage", shown(module)));
        let edges = self.edges();
        let back = edges.iter().flat_map(|(from, targets)| {
            targets
                .iter()
                .filter(move |to| place(from).is_some_and(|from| place(to) > Some(from)))
                .map(move |to| format!("{} -> {}", shown(from), shown(to)))
        });
        unplaced.chain(back).collect()
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

/// The groups of files of which each reaches each other.
fn groups<'a>(edges: &Edges<'a>) -> BTreeSet<BTreeSet<&'a ModulePath>> {
    let reached: Edges<'a> = edges
        .keys()
        .map(|start| (*start, reachable(edges, start)))
        .collect();
    let mut groups = BTreeSet::new();
    for (start, ends) in &reached {
        let group: BTreeSet<&ModulePath> = ends
            .iter()
            .copied()
            .filter(|end| reached.get(end).is_some_and(|back| back.contains(start)))
            .collect();
        if group.len() > 1 {
            groups.insert(group);
        }
    }
    groups
}

/// All that can be reached from `start` by at least one step.
fn reachable<'a>(edges: &Edges<'a>, start: &ModulePath) -> BTreeSet<&'a ModulePath> {
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
        if is_public && matches!(tree, syn::UseTree::Glob(_)) {
            self.current().all_of.push(path.clone());
        }
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
        let (attributes, name) = match item {
            syn::Item::Mod(item) => (&item.attrs, None),
            syn::Item::Use(item) => (&item.attrs, None),
            syn::Item::Impl(item) => (&item.attrs, None),
            syn::Item::Fn(item) => (&item.attrs, Some(&item.sig.ident)),
            syn::Item::Struct(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Enum(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Trait(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Type(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Const(item) => (&item.attrs, Some(&item.ident)),
            syn::Item::Static(item) => (&item.attrs, Some(&item.ident)),
            _ => return visit::visit_item(self, item),
        };
        if attributes.iter().any(is_for_tests) {
            return;
        }
        if let Some(name) = name {
            self.current().items.insert(name.to_string());
        }
        visit::visit_item(self, item);
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
#[path = "modules_tests.rs"]
mod tests;
