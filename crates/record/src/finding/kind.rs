//! Every kind of finding.

use std::borrow::Cow;

use dbdyno_vocabulary::Statement;
use serde_json::{Map, Value};

use super::Facts;

/// A finding without typed figures: another version of dbdyno wrote it, or the linter did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordsOnly {
    /// Its stable name.
    pub code: String,
    /// The observation, with the figures.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}

/// Makes the enum of these kinds, each of which has [`Facts`] in the file that is named before it.
macro_rules! kinds {
    ($($module:ident { $($kind:ident),+ $(,)? })+) => {
        $(pub use super::$module::{$($kind),+};)+

        /// An observation about a trial.
        #[derive(Clone, Debug, PartialEq)]
        pub enum FindingKind {
            $($(
                #[doc = concat!("See [`", stringify!($kind), "`].")]
                $kind($kind),
            )+)+
            /// See [`WordsOnly`].
            WordsOnly(WordsOnly),
        }

        impl FindingKind {
            /// Its stable name.
            #[must_use]
            pub fn code(&self) -> &str {
                match self {
                    $($(Self::$kind(_) => $kind::CODE,)+)+
                    Self::WordsOnly(words) => &words.code,
                }
            }

            /// The observation, with the figures.
            #[must_use]
            pub fn statement(&self) -> Statement {
                match self {
                    $($(Self::$kind(facts) => facts.statement(),)+)+
                    Self::WordsOnly(words) => Statement::new(words.message.as_str()),
                }
            }

            /// What to do about it.
            #[must_use]
            pub fn remedy(&self) -> Cow<'_, str> {
                match self {
                    $($(Self::$kind(facts) => facts.remedy(),)+)+
                    Self::WordsOnly(words) => Cow::Borrowed(&words.remedy),
                }
            }

            /// Its figures, by name; none where only the words are known.
            pub(super) fn figures(&self) -> Map<String, Value> {
                let figures = match self {
                    $($(Self::$kind(facts) => serde_json::to_value(facts),)+)+
                    Self::WordsOnly(_) => return Map::new(),
                };
                match figures {
                    Ok(Value::Object(figures)) => figures,
                    // The words remain.
                    _ => Map::new(),
                }
            }

            /// The kind with this code and these figures; `None` if this version does not know the code, or expects other figures.
            pub(super) fn read(code: &str, figures: Map<String, Value>) -> Option<Self> {
                let figures = Value::Object(figures);
                match code {
                    $($(code if code == $kind::CODE => serde_json::from_value(figures).ok().map(Self::$kind),)+)+
                    _ => None,
                }
            }

            /// The codes of all kinds.
            #[cfg(test)]
            pub(super) const CODES: &[&str] = &[$($($kind::CODE),+),+];
        }

        $($(
            impl From<$kind> for FindingKind {
                fn from(facts: $kind) -> Self {
                    Self::$kind(facts)
                }
            }
        )+)+

        impl From<WordsOnly> for FindingKind {
            fn from(words: WordsOnly) -> Self {
                Self::WordsOnly(words)
            }
        }
    };
}

kinds! {
    phase {
        TableNotKept, Interrupted, ClientsStuck, TooShort, NothingMeasured, FewSamples, RateNotSustained,
    }
    outcomes {
        LoadIncomplete, OnlyErrors, Errors, VerificationFailed, NotFound, TooEarly,
    }
    client {
        DebugBuild, ClockDrift, SchedulingLag, ToolIsBottleneck, CpuSaturated, ClientThreadSaturated,
    }
    generators {
        SlowGenerator, LateGenerator, GeneratorStart, GeneratorSteal, GeneratorThrottled,
    }
    machine {
        HostSteal, HostOtherProcesses, HostOtherIo, HostThrottled, HostSwapped, HostMemoryPressure,
    }
    setting {
        SlowClock, FitsInMemory, MemoryFilled, SharedDisk, NodesShareDisk, VolumeFull, IdleServers,
    }
    steady {
        NeverWarm, SlowStart, NoSteadyState, TwoSpeeds, SteadinessNotJudged, Paused, StillCompiling,
    }
    turns {
        FarCores, SharedCore, DeferredWork, ShortHead, IoWhileParked,
    }
    study {
        RepeatBudgetSpent, AlwaysDisturbed, TornGroup, ProtectionDiffers,
    }
    imported {
        Imported, FiguresDisagree, CoordinatedOmission,
    }
}
