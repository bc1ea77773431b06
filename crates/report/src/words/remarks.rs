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
            .method
            .push_str("; of throughputs as at the machine's usual speed"),
        Remark::CountsStarts => {
            for words in [&mut to.reason, &mut to.why] {
                words.push_str("; trials between two restarts of the servers count as one");
            }
        }
        Remark::WithoutBlocks(why) => {
            let why = validity::clause(why);
            to.method
                .push_str(&format!("; without the blocks in which {why}"));
        }
        Remark::SameAtAllLevels(why) => to.method.push_str(&format!(
            "; it would be the same at each level of the trials that never settled ({})",
            validity::clause(why)
        )),
        Remark::TakenBack(why) => {
            to.reason = validity::clause(why);
            to.why.clone_from(&to.reason);
        }
        Remark::Unranked(why) => {
            to.reason = comparability::clause(why);
            comparability::short(why).clone_into(&mut to.why);
        }
        Remark::LeftOpen(why) => {
            to.reason = format!("{}, but {why}", to.reason);
            to.why.clone_from(why);
        }
    }
}
