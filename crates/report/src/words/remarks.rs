//! What bears on a comparison beside what the statistics say of it, in words.

use dbdyno_analysis::{Comparison, Remark};

use super::{comparability, validity};

/// Puts the remarks on a comparison into its words.
pub fn tell(mut comparison: Comparison) -> Comparison {
    for remark in std::mem::take(&mut comparison.remarks) {
        add(&remark, &mut comparison);
    }
    comparison
}

fn add(remark: &Remark, to: &mut Comparison) {
    match remark {
        Remark::Levelled => to
            .method_notes
            .push("of throughputs as at the machine's usual speed".to_owned()),
        Remark::CountsStarts => {
            let found = &mut to.found;
            for words in [&mut found.reason, &mut found.why] {
                words.push_str("; trials between two restarts of the servers count as one");
            }
        }
        Remark::WithoutBlocks(why) => {
            let left_out = format!("without the blocks in which {}", validity::clause(why));
            to.method_notes.push(left_out);
        }
        Remark::SameAtAllLevels(why) => to.method_notes.push(format!(
            "it would be the same at each level of the trials that never settled ({})",
            validity::clause(why)
        )),
        Remark::TakenBack(why) => to.found.take_back(validity::clause(why)),
        Remark::Unranked(why) => comparability::refuse(why, &mut to.found),
    }
}
