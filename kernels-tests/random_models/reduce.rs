//! The smallest part of a model that still shows something.

use super::model::Model;

/// Takes triangles away for as long as `shows` holds.
pub fn reduced(model: &Model, shows: &dyn Fn(&Model) -> bool) -> Model {
    let mut model = model.clone();
    loop {
        let smaller = parts(&model).into_iter().find(|m| shows(m));
        match smaller {
            Some(m) => model = m,
            None => return model,
        }
    }
}

/// The model without one of its triangles.
fn parts(model: &Model) -> Vec<Model> {
    let mut out = Vec::new();
    for l in 0..model.links.len() {
        for t in 0..model.links[l].1.len() {
            let mut part = model.clone();
            part.links[l].1.remove(t);
            out.push(part);
        }
    }
    for o in 0..model.objects.len() {
        for t in 0..model.objects[o].len() {
            let mut part = model.clone();
            part.objects[o].remove(t);
            out.push(part);
        }
    }
    out
}
