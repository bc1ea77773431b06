//! Claims of published studies in a need file: the study, the claim and the database must be known.

use dbdyno_files::values::Text;
use dbdyno_files::{Mistake, Mistakes, Placed, PublishedTable, Tables};
use dbdyno_paper::Paper;
use dbdyno_report::advice::PublishedClaim;
use dbdyno_vocabulary::suggest::nearest;

/// The claims that can be read.
pub fn claims(tables: &Tables<PublishedTable>, mistakes: &mut Mistakes) -> Vec<PublishedClaim> {
    let mut claims = Vec::new();
    for table in &tables.0 {
        let table = &table.value;
        let paper = mistakes.keep(paper(&table.paper));
        let claim = paper.and_then(|paper| mistakes.keep(claim(&paper, &table.claim)));
        let favours = table
            .favours
            .0
            .iter()
            .filter_map(|name| mistakes.keep(database(name)));
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

fn database(name: &Placed<Text>) -> Result<String, Mistake> {
    let databases = dbdyno_registry::databases();
    let known: Vec<String> = databases.iter().map(|info| info.name.to_owned()).collect();
    if known.contains(&name.value.0) {
        return Ok(name.value.0.clone());
    }
    Err(Mistake::new(
        name.span.clone(),
        format!("there is no database `{}`", name.value.0),
        meant(&name.value.0, &known),
    ))
}

/// The known name that is nearest, or all of them.
fn meant(name: &str, known: &[String]) -> String {
    match nearest(name, known.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {}", known.join(", ")),
    }
}
