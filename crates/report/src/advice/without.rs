//! Requirements that decide the answer: what it would be without each of them.

use super::compose::statement;
use super::{Advice, AdviceError, Need, RequirementRow, Statement, Word};
use crate::number;

/// One sentence for each requirement without which the answer would be another one; `advise` answers another need. A requirement
/// that everybody is shown to meet decides nothing, and a refused ranking is refused for another reason.
pub fn statements(
    advice: &Advice,
    need: &Need,
    advise: impl Fn(&Need) -> Result<Advice, AdviceError>,
) -> Result<Vec<Statement>, AdviceError> {
    let mut statements = Vec::new();
    if advice.word == Word::Refused {
        return Ok(statements);
    }
    for (index, requirement) in need.requirements.iter().enumerate() {
        let is_its = |row: &&RequirementRow| row.requirement == requirement.text;
        let Some(row) = advice.requirements.iter().find(is_its).filter(|row| decides(row)) else {
            continue;
        };
        let mut other = need.clone();
        other.requirements.remove(index);
        let other = advise(&other)?;
        // Systems that cannot be ranked are no other answer.
        if other.word != Word::Refused && (other.word, &other.systems) != (advice.word, &advice.systems) {
            let evidence = row
                .systems
                .iter()
                .flat_map(|cell| cell.why.evidence.iter().copied());
            statements.push(statement(
                format!(
                    "Without the requirement \"{}\", {}.",
                    requirement.text,
                    would_be(&other)
                ),
                evidence.collect(),
            ));
        }
    }
    Ok(statements)
}

/// Whether it divides the systems, or excludes all of them.
fn decides(row: &RequirementRow) -> bool {
    let all = || row.systems.iter();
    let first = all().next().map(|cell| cell.compliance);
    all().any(|cell| Some(cell.compliance) != first) || first == Some("violated")
}

fn would_be(other: &Advice) -> String {
    let systems = number::list(&other.systems);
    match other.word {
        Word::Recommend => format!("{systems} would be recommended"),
        Word::Shortlist => format!("the shortlist would be {systems}"),
        Word::Undecided if systems.is_empty() => "the answer would be undecided".to_owned(),
        Word::Undecided => format!("the answer would be undecided: {systems} may be best"),
        Word::Nobody | Word::Refused => "still no system would meet all others".to_owned(),
    }
}
