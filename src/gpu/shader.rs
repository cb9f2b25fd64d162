//! WGSL sources: files that list the libraries they use, joined by plain concatenation.
//!
//! A line `//!use lib/name` inserts `wgsl/lib/name.wgsl` before the file, with the libraries that it uses in turn, each
//! file once. Messages of the compiler, which sees one text, are reported with the original file and line.

use crate::error::{Error, ErrorKind, Result};

/// A joined source, and the origin of each of its lines.
#[derive(Clone, Debug)]
pub struct Source {
    /// The text for the compiler.
    pub text: String,
    /// The file of each line, and the line number in it.
    origins: Vec<(&'static str, usize)>,
}

/// The libraries, by their name in `//!use`.
const LIBRARIES: [(&str, &str); 20] = [
    ("lib/bound", include_str!("../../wgsl/lib/bound.wgsl")),
    ("lib/chunk", include_str!("../../wgsl/lib/chunk.wgsl")),
    ("lib/closeness", include_str!("../../wgsl/lib/closeness.wgsl")),
    ("lib/cutoff", include_str!("../../wgsl/lib/cutoff.wgsl")),
    ("lib/interval", include_str!("../../wgsl/lib/interval.wgsl")),
    ("lib/link_nodes", include_str!("../../wgsl/lib/link_nodes.wgsl")),
    ("lib/lss", include_str!("../../wgsl/lib/lss.wgsl")),
    ("lib/moving_box", include_str!("../../wgsl/lib/moving_box.wgsl")),
    ("lib/node_boxes", include_str!("../../wgsl/lib/node_boxes.wgsl")),
    ("lib/part", include_str!("../../wgsl/lib/part.wgsl")),
    ("lib/piercing", include_str!("../../wgsl/lib/piercing.wgsl")),
    ("lib/pose", include_str!("../../wgsl/lib/pose.wgsl")),
    ("lib/queue", include_str!("../../wgsl/lib/queue.wgsl")),
    ("lib/rotation", include_str!("../../wgsl/lib/rotation.wgsl")),
    ("lib/scene", include_str!("../../wgsl/lib/scene.wgsl")),
    ("lib/scene_nodes", include_str!("../../wgsl/lib/scene_nodes.wgsl")),
    ("lib/separation", include_str!("../../wgsl/lib/separation.wgsl")),
    ("lib/silhouette", include_str!("../../wgsl/lib/silhouette.wgsl")),
    ("lib/swept", include_str!("../../wgsl/lib/swept.wgsl")),
    ("lib/swept_boxes", include_str!("../../wgsl/lib/swept_boxes.wgsl")),
];

impl Source {
    /// Joins a kernel's source with the libraries that it uses.
    ///
    /// # Errors
    /// A library does not exist.
    pub fn expand(stem: &'static str, text: &str) -> Result<Self> {
        let mut source = Self { text: String::new(), origins: Vec::new() };
        source.append(stem, text, &mut Vec::new())?;
        Ok(source)
    }

    /// A source that was not written in files. Errors are reported without a place.
    pub(super) fn generated(text: String) -> Self {
        Self { text, origins: Vec::new() }
    }

    fn append(&mut self, name: &'static str, text: &str, used: &mut Vec<&'static str>) -> Result<()> {
        let wanted = text.lines().filter_map(|line| line.strip_prefix("//!use "));
        for library in wanted {
            let library = library.trim();
            let found = LIBRARIES.iter().find(|(n, _)| *n == library);
            let &(library, library_text) = found.ok_or_else(|| {
                Error::new(ErrorKind::Gpu, format!("wgsl/{name}.wgsl uses '{library}', which does not exist"))
            })?;
            if !used.contains(&library) {
                used.push(library);
                self.append(library, library_text, used)?;
            }
        }
        for (i, line) in text.lines().enumerate() {
            self.text.push_str(line);
            self.text.push('\n');
            self.origins.push((name, i + 1));
        }
        Ok(())
    }

    /// Replaces `old`, which must occur exactly once, by `new`: used by tests to make a kernel that lacks a safety
    /// term.
    ///
    /// # Errors
    /// `old` does not occur exactly once.
    pub fn replaced(&self, old: &str, new: &str) -> Result<Self> {
        if self.text.matches(old).count() != 1 || old.contains('\n') != new.contains('\n') {
            return Err(Error::new(ErrorKind::Gpu, format!("'{old}' does not occur exactly once")));
        }
        Ok(Self { text: self.text.replacen(old, new, 1), origins: self.origins.clone() })
    }

    /// Parses and validates with naga, for any adapter.
    ///
    /// # Errors
    /// The first error, with its file and line.
    pub fn validate(&self) -> Result<(naga::Module, naga::valid::ModuleInfo)> {
        let module = naga::front::wgsl::parse_str(&self.text).map_err(|e| {
            let line = e.location(&self.text).map_or(0, |l| l.line_number as usize);
            self.error(line, e.message())
        })?;
        let mut validator =
            naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::empty());
        let info = validator.validate(&module).map_err(|e| {
            let line = e.location(&self.text).map_or(0, |l| l.line_number as usize);
            self.error(line, &e.emit_to_string(&self.text))
        })?;
        Ok((module, info))
    }

    fn error(&self, line: usize, message: &str) -> Error {
        let place = line.checked_sub(1).and_then(|i| self.origins.get(i));
        let place = place.map_or(String::from("wgsl"), |(name, line)| format!("wgsl/{name}.wgsl:{line}"));
        Error::new(ErrorKind::Gpu, message).at(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_included_once_before_use_and_lines_keep_their_origin() {
        let source = Source::expand("kernel", "//!use lib/bound\n//!use lib/chunk\nfn f() {}\n").unwrap();
        assert_eq!(source.text.matches("struct Chunk").count(), 1);
        assert!(source.text.find("struct Chunk") < source.text.find("struct PointBound"));
        assert_eq!(source.origins.last(), Some(&("kernel", 3)));
        let broken = Source::expand("kernel", "//!use lib/chunk\nfn f() { let x = 1 }\n").unwrap();
        let message = broken.validate().unwrap_err().to_string();
        assert!(message.contains("wgsl/kernel.wgsl:2"), "{message}");
        assert!(Source::expand("kernel", "//!use lib/nothing").is_err());
    }
}
