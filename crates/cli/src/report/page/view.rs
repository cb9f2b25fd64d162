//! The view in three dimensions, its controls, and the list of its motions.

use crate::bench::markdown;
use crate::picture::viewer::{self, SetView, figure_id};
use crate::report::views::Views;
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
                (viewer::controls(&views.sets))
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
