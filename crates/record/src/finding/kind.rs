//! Every kind of finding.

use std::borrow::Cow;

use dbdyno_vocabulary::Statement;
use serde_json::{Map, Value};

use super::Facts;

/// A finding of which only the words are known: that of an older version of dbdyno or of a later one, or of the linter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Its stable name.
    pub code: String,
    /// What was seen, with the figures.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}

/// Makes the enum of these kinds, each of which has [`Facts`] in the file that is named before it.
macro_rules! kinds {
    ($($module:ident { $($kind:ident),+ $(,)? })+) => {
        $(pub use super::$module::{$($kind),+};)+

        /// What was seen of a trial.
        #[derive(Clone, Debug, PartialEq)]
        pub enum FindingKind {
            $($(
                #[doc = concat!("See [`", stringify!($kind), "`].")]
                $kind($kind),
            )+)+
            /// See [`Told`].
            Told(Told),
        }

        impl FindingKind {
            /// Its stable name.
            #[must_use]
            pub fn code(&self) -> &str {
                match self {
                    $($(Self::$kind(_) => $kind::CODE,)+)+
                    Self::Told(told) => &told.code,
                }
            }

            /// What was seen, with the figures.
            #[must_use]
            pub fn statement(&self) -> Statement {
                match self {
                    $($(Self::$kind(facts) => facts.statement(),)+)+
                    Self::Told(told) => Statement::new(told.message.as_str()),
                }
            }

            /// What to do about it.
            #[must_use]
            pub fn remedy(&self) -> Cow<'_, str> {
                match self {
                    $($(Self::$kind(facts) => facts.remedy(),)+)+
                    Self::Told(told) => Cow::Borrowed(&told.remedy),
                }
            }

            /// Its figures, by name; none where only the words are known.
            pub(super) fn figures(&self) -> Map<String, Value> {
                let figures = match self {
                    $($(Self::$kind(facts) => serde_json::to_value(facts),)+)+
                    Self::Told(_) => Ok(Value::Null),
                };
                match figures {
                    Ok(Value::Object(figures)) => figures,
                    // A figure that JSON does not have is left to the words.
                    _ => Map::new(),
                }
            }

            /// The kind with this code and these figures; `None` where this version does not know the code, or other figures for it.
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

        impl From<Told> for FindingKind {
            fn from(told: Told) -> Self {
                Self::Told(told)
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
    machine {
        HostSteal, HostOtherProcesses, HostOtherIo, HostThrottled, HostSwapped, HostMemoryPressure,
    }
    setting {
        SlowClock, FitsInMemory, MemoryFilled, SharedDisk, VolumeFull, IdleServers,
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
