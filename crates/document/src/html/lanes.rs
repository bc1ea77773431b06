//! Systems in one quantity, a line each: name, drawing and value.

use maud::{Markup, html};

use super::Page;
use crate::{Lane, LaneGroup};

impl Page {
    /// A table, so that it can be read aloud and printed: the drawings only show its values.
    pub(super) fn lanes(&self, groups: &[LaneGroup]) -> Markup {
        html! {
            table class="lanes" {
                @for group in groups {
                    tbody {
                        tr { th colspan="4" scope="rowgroup" { (self.text(&group.title)) " " small { (self.text(&group.about)) } } }
                        @for lane in &group.lanes { (self.lane(lane)) }
                        tr aria-hidden="true" { td {} td { (group.axis) } td {} td {} }
                    }
                }
            }
        }
    }

    fn lane(&self, lane: &Lane) -> Markup {
        html! {
            tr class=[lane.is_best.then_some("best")] {
                th scope="row" { (self.text(&lane.name)) }
                td { (lane.track) }
                td class="number value" { (lane.value) }
                td class="number interval" { (lane.interval) }
            }
        }
    }
}
