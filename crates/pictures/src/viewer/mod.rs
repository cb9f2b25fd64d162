//! Motions in a browser: a GLB file for each robot and scene, and a script that plays them. A page that contains the
//! view is one file and makes no network requests; its content security policy also forbids them.

use crate::gltf::{self, Glb};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("style.css");
const THREE: &str = include_str!("three.min.js");
const VIEWER: &str = include_str!("viewer.js");
/// The content security policy: with it, browsers load nothing from elsewhere, whatever the page contains.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:; \
                      base-uri 'none'; form-action 'none'";

/// Motions of one robot in one scene.
#[derive(Debug)]
pub struct SetView {
    /// The name above the motions.
    pub name: String,
    /// Index of the results to which the motions belong, on a page with results.
    pub of_results: Option<usize>,
    /// The robot, the scene and all these motions.
    pub glb: Glb,
    /// The motions.
    pub motions: Vec<MotionView>,
}

/// One motion.
#[derive(Debug)]
pub struct MotionView {
    /// Its number.
    pub number: usize,
    /// The time of first contact, if there is a contact.
    pub contact_at: Option<f64>,
    /// Its name in the list of motions.
    pub label: String,
    /// A description of the answer.
    pub says: String,
    /// The picture as PNG, and the direction of view, azimuth and elevation in degrees.
    pub picture: Option<(Vec<u8>, [f64; 2])>,
}

/// A page with one set of motions and nothing else.
pub fn page(title: &str, set: SetView) -> String {
    let sets = [set];
    let page = html! {
        (head(title))
        body {
            header { h1 { (title) } }
            main {
                (controls(&sets))
                div .gallery .list {
                    @for (k, m) in sets[0].motions.iter().enumerate() {
                        figure id=(figure_id(0, k)) { figcaption { (m.says) } }
                    }
                }
            }
            (scripts(&sets))
        }
    };
    html! { (DOCTYPE) html lang="en" { (page) } }.into_string()
}

/// The head of a page that makes no network requests.
pub fn head(title: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta http-equiv="Content-Security-Policy" content=(POLICY);
            link rel="icon" href="data:,";
            title { (title) }
            style { (PreEscaped(STYLE)) }
        }
    }
}

/// The motion that is shown first: the contact with the longest motion before it.
fn first(sets: &[SetView]) -> (usize, usize) {
    let all = sets.iter().enumerate().flat_map(|(i, s)| s.motions.iter().enumerate().map(move |(k, m)| (i, k, m)));
    let contacts = all.filter_map(|(i, k, m)| Some((m.contact_at?, i, k)));
    contacts.max_by(|a, b| a.0.total_cmp(&b.0)).map_or((0, 0), |(_, i, k)| (i, k))
}

/// The view of motions with its controls. The page needs this [`head`], the [`scripts`], and for each motion an element
/// with its [`figure_id`] and a caption.
pub fn controls(sets: &[SetView]) -> Markup {
    let hex = |[r, g, b]: [u8; 3]| format!("background:#{r:02x}{g:02x}{b:02x}");
    let colours = [
        (gltf::ROBOT, "robot"),
        (gltf::TOUCHED, "touched object"),
        (gltf::CONTACT, "first contact, arrow along the normal"),
    ];
    html! {
        div #viewer {
            div .controls {
                label .motion { span { "Motion" } (choice(sets)) }
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
            (instructions())
        }
    }
}

/// The list from which the motion is chosen.
fn choice(sets: &[SetView]) -> Markup {
    let first = first(sets);
    html! {
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
}

/// Instructions for the pointer and the keys.
fn instructions() -> Markup {
    html! {
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

/// The files and scripts of the view, for the end of the page.
pub fn scripts(sets: &[SetView]) -> Markup {
    html! {
        @for (i, set) in sets.iter().enumerate() {
            // Text that is not a script: browsers store it without executing it.
            script type="text/plain" id=(glb_id(i)) { (PreEscaped(BASE64_STANDARD.encode(&set.glb.bytes))) }
        }
        script { (PreEscaped(THREE)) }
        script { (PreEscaped(VIEWER)) }
    }
}

fn glb_id(i: usize) -> String {
    format!("glb-{i}")
}

/// The identifier of the element with the caption of motion `k` of set `i`.
pub fn figure_id(i: usize, k: usize) -> String {
    format!("motion-{i}-{k}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No embedded text terminates the element that contains it.
    #[test]
    fn embedded_texts_stay_in_their_elements() {
        for text in [THREE, VIEWER, STYLE] {
            let text = text.to_ascii_lowercase();
            assert!(["</script", "<script", "<!--", "</style"].iter().all(|end| !text.contains(end)));
        }
    }
}
