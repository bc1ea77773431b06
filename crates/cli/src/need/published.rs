//! Claims of published studies in a need file: the study and the claim must be known, and the study must have compared the databases
//! that the claim speaks for.

use std::collections::BTreeSet;

use dbdyno_files::values::Text;
use dbdyno_files::{Mistake, Mistakes, Placed, PublishedTable, Tables};
use dbdyno_paper::Paper;
use dbdyno_report::advice::PublishedClaim;
use dbdyno_vocabulary::suggest::nearest;
use dbdyno_vocabulary::words::list;

/// The claims that can be read.
pub fn claims(tables: &Tables<PublishedTable>, mistakes: &mut Mistakes) -> Vec<PublishedClaim> {
    let mut claims = Vec::new();
    for table in &tables.0 {
        let table = &table.value;
        let paper = mistakes.keep(paper(&table.paper));
        let claim = paper
            .as_ref()
            .and_then(|paper| mistakes.keep(claim(paper, &table.claim)));
        let named = table.favours.0.iter();
        let favours = named.filter_map(|name| mistakes.keep(database(name, paper.as_ref())));
        let favours: Vec<String> = favours.collect();
        if let Some(claim) = claim {
            claims.push(PublishedClaim {
                paper: table.paper.value.0.clone(),
                claim,
                favours,
            });
        }
    }
    claims
}

fn paper(id: &Placed<Text>) -> Result<Paper, Mistake> {
    let mistake = |message: String, help: String| Mistake::new(id.span.clone(), message, help);
    let known = || -> Vec<String> {
        let papers = dbdyno_paper::all().unwrap_or_default();
        papers.into_iter().map(|paper| paper.head.id).collect()
    };
    match dbdyno_paper::find(&id.value.0) {
        Ok(Some(paper)) => Ok(paper),
        Ok(None) => Err(mistake(
            format!("there is no published study `{}`", id.value.0),
            meant(&id.value.0, &known()),
        )),
        Err(error) => Err(mistake(error.to_string(), "choose another study".to_owned())),
    }
}

fn claim(paper: &Paper, id: &Placed<Text>) -> Result<String, Mistake> {
    let known: Vec<String> = paper.claims.iter().map(|claim| claim.id.clone()).collect();
    if known.contains(&id.value.0) {
        return Ok(id.value.0.clone());
    }
    Err(Mistake::new(
        id.span.clone(),
        format!("{} has no claim `{}`", paper.head.id, id.value.0),
        meant(&id.value.0, &known),
    ))
}

/// A database that can be measured, and that the study compared.
fn database(name: &Placed<Text>, paper: Option<&Paper>) -> Result<String, Mistake> {
    let mistake = |message: String, help: String| Mistake::new(name.span.clone(), message, help);
    let databases = dbdyno_registry::databases();
    let known: Vec<String> = databases.iter().map(|info| info.name.to_owned()).collect();
    if !known.contains(&name.value.0) {
        let message = format!("there is no database `{}`", name.value.0);
        return Err(mistake(message, meant(&name.value.0, &known)));
    }
    match paper {
        Some(paper) if !paper.systems.iter().any(|system| system.db == name.value.0) => {
            let compared: BTreeSet<&String> = paper.systems.iter().map(|system| &system.db).collect();
            let compared: Vec<&String> = compared.into_iter().collect();
            Err(mistake(
                format!("{} did not compare `{}`", paper.head.id, name.value.0),
                format!("it compared {}", list(&compared)),
            ))
        }
        _ => Ok(name.value.0.clone()),
    }
}

/// The known name that is nearest, or all of them.
fn meant(name: &str, known: &[String]) -> String {
    match nearest(name, known.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {}", known.join(", ")),
    }
}
