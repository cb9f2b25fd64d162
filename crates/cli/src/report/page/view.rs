//! The view in three dimensions, its controls, and the list of its motions.

use super::{figure_id, glb_id};
use crate::bench::markdown;
use crate::picture::gltf;
use crate::report::views::{SetView, Views};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use maud::{Markup, html};

/// The section of all motions that are shown.
pub fn section(views: &Views) -> Markup {
    let has_pictures = views.sets.iter().flat_map(|set| &set.motions).any(|m| m.picture.is_some());
    html! {
        section id="motions" {
            h2 { "Motions in three dimensions" }
            @for note in &views.notes { p .note { (note) } }
            @if !views.sets.is_empty() {
                (viewer(&views.sets))
                @for (i, set) in views.sets.iter().enumerate() { (gallery(i, set)) }
                @if has_pictures {
                    p .note {
                        "In the pictures the robot is blue where it first touches (at the end, if the motion is free), \
                         the start is green, the end violet, the volume that its line-swept spheres sweep light blue, \
                         the touched object orange."
                    }
                }
            }
        }
    }
}

/// The motion that is shown first: the contact with the longest motion before it.
fn first(sets: &[SetView]) -> (usize, usize) {
    let all = sets.iter().enumerate().flat_map(|(i, s)| s.motions.iter().enumerate().map(move |(k, m)| (i, k, m)));
    let contacts = all.filter_map(|(i, k, m)| Some((m.contact_at?, i, k)));
    contacts.max_by(|a, b| a.0.total_cmp(&b.0)).map_or((0, 0), |(_, i, k)| (i, k))
}

fn viewer(sets: &[SetView]) -> Markup {
    let first = first(sets);
    let hex = |[r, g, b]: [u8; 3]| format!("background:#{r:02x}{g:02x}{b:02x}");
    let colours = [
        (gltf::ROBOT, "robot"),
        (gltf::TOUCHED, "touched object"),
        (gltf::CONTACT, "first contact, arrow along the normal"),
    ];
    html! {
        div #viewer {
            div .controls {
                label .motion {
                    span { "Motion" }
                    select data-part="motion" autocomplete="off" {
                        @for (i, set) in sets.iter().enumerate() {
                            optgroup label=(set.name) {
                                @for (k, m) in set.motions.iter().enumerate() {
                                    option value=(figure_id(i, k)) data-set=(glb_id(i)) data-animation=(k)
                                        data-figure=(figure_id(i, k)) selected[(i, k) == first]
                                        data-azimuth=[m.picture.as_ref().map(|p| p.1[0])]
                                        data-elevation=[m.picture.as_ref().map(|p| p.1[1])] {
                                        (m.label)
                                    }
                                }
                            }
                        }
                    }
                }
                button type="button" data-part="previous" aria-label="previous motion" { "‹" }
                button type="button" data-part="next" aria-label="next motion" { "›" }
                label { input type="checkbox" data-part="sheer" checked autocomplete="off"; " see-through scene" }
            }
            div .stage data-part="stage" { noscript { p { "The view needs JavaScript." } } }
            div .controls .time {
                button type="button" data-part="play" { "Play" }
                div .track {
                    input type="range" data-part="time" min="0" max="1" step="any" value="0" autocomplete="off"
                        aria-label="time, as a share of the motion";
                    span .tick data-part="tick" hidden title="first contact" {}
                }
                output data-part="shown-time" { "t = 0" }
                button type="button" data-part="contact" { "First contact" }
                button type="button" data-part="reset" { "Reset view" }
            }
            p .says data-part="says" aria-live="polite" {}
            ul .key {
                @for (colour, name) in colours { li { span style=(hex(colour)) {} (name) } }
            }
            p .note {
                "The robot is shown where it first touches the scene, or at the start of a motion without contact. \
                 Playing stops at the first contact. Drag to turn, right button or two fingers to move, wheel or pinch \
                 to zoom. Occluding geometry is cut away while the scene is see-through."
            }
            p .note .keys {
                "Keys, with the view in focus: " kbd { "Space" } " plays and pauses, "
                kbd { "C" } " jumps to the first contact, "
                kbd { "←" } kbd { "↑" } kbd { "→" } kbd { "↓" } " turn, " kbd { "+" } kbd { "−" } " zoom, "
                kbd { "N" } kbd { "P" } " next and previous motion, " kbd { "R" } " resets the view."
            }
        }
    }
}

fn gallery(i: usize, set: &SetView) -> Markup {
    let (shown, all) = (set.glb.scene_triangles, set.glb.of_triangles);
    let has_pictures = set.motions.iter().any(|m| m.picture.is_some());
    html! {
        h3 { (set.name) }
        @if shown < all {
            p .note {
                "The view has " (markdown::grouped(shown as f64, 0))
                " of the scene's " (markdown::grouped(all as f64, 0))
                " triangles, those of the objects that are nearest to these motions. The answers are about all of them."
            }
        }
        div .gallery .list[!has_pictures] {
            @for (k, m) in set.motions.iter().enumerate() {
                figure id=(figure_id(i, k)) {
                    @if let Some((png, _)) = &m.picture {
                        img alt=(m.says) width="960" height="600"
                            src={ "data:image/png;base64," (BASE64_STANDARD.encode(png)) };
                    }
                    figcaption { (m.says) }
                    button type="button" hidden data-show=(figure_id(i, k)) { "Show in 3-D" }
                }
            }
        }
    }
}
