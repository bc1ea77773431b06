//! What bears on a comparison beside what the statistics say of it.

use super::Unranked;
use super::validity::Unreliable;

/// Something that bears on a comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum Remark {
    /// Its throughputs are as at the machine's usual speed.
    Levelled,
    /// Trials on one start of servers are one value.
    CountsStarts,
    /// It is without the blocks in which a system could not keep the rate.
    WithoutBlocks(Unreliable),
    /// Its verdict would be the same at each level of the trials that never settled.
    SameAtAllLevels(Unreliable),
    /// Its verdict is taken back, for this reason.
    TakenBack(Unreliable),
    /// Its metric ranks nothing.
    Unranked(Unranked),
}
