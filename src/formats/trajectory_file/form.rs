//! The form of a file of trajectories, by its name or its content.

use crate::error::{Error, Result};
use crate::formats::motion_file::Format;
use std::path::Path;

/// The form of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Npy,
    Npz,
    Json,
    Yaml,
    Csv,
}

impl From<Format> for Form {
    fn from(format: Format) -> Self {
        match format {
            Format::Npy => Self::Npy,
            Format::Npz => Self::Npz,
            Format::Json => Self::Json,
            Format::Csv => Self::Csv,
        }
    }
}

impl Form {
    /// The form for a file name; `None` without an extension.
    pub fn of_name(path: &Path) -> Result<Option<Self>> {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        match extension.as_str() {
            "yaml" | "yml" => Ok(Some(Self::Yaml)),
            _ => {
                let remedy = "trajectories are .npy, .npz, .json, .yaml or .csv";
                Ok(Format::of_name(path).map_err(|e: Error| e.remedy(remedy))?.map(Self::from))
            }
        }
    }

    /// The form of the content, detected from its first bytes.
    pub fn of_content(first: &[u8]) -> Result<Self> {
        match Format::of_content(first)? {
            Format::Csv if looks_like_yaml(first) => Ok(Self::Yaml),
            format => Ok(format.into()),
        }
    }
}

/// Returns whether the first line that is neither empty nor a comment is YAML rather than a list of joint names.
fn looks_like_yaml(first: &[u8]) -> bool {
    let text = String::from_utf8_lossy(first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first));
    let line = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or_default();
    line.starts_with("---")
        || line.starts_with("- ")
        || line.starts_with('%')
        || line.ends_with(':')
        || line.contains(": ")
}
