//! The bytes of a glTF document: in its container, in its JSON, or in separate files.

use super::document::Document;
use crate::error::{Error, Result};
use crate::io::load::{LoadLimits, read_bytes};
use base64::Engine;
use std::borrow::Cow;
use std::path::Path;

/// The JSON chunk and the binary chunk of a GLB.
pub(super) fn container(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>)> {
    let truncated = || Error::input("its chunks do not fit its length: truncated or damaged");
    let u32_at = |at: usize| {
        let word = bytes.get(at..at.checked_add(4)?)?;
        Some(u32::from_le_bytes([word[0], word[1], word[2], word[3]]) as usize)
    };
    if u32_at(4) != Some(2) {
        return Err(Error::input("the GLB version is not 2"));
    }
    if u32_at(8) != Some(bytes.len()) {
        return Err(truncated());
    }
    let (mut at, mut json, mut binary) = (12, None, None);
    while at < bytes.len() {
        let length = u32_at(at).ok_or_else(truncated)?;
        let kind = bytes.get(at + 4..at + 8).ok_or_else(truncated)?;
        let content = bytes.get(at + 8..).and_then(|rest| rest.get(..length)).ok_or_else(truncated)?;
        match kind {
            b"JSON" if json.is_none() => json = Some(content),
            b"BIN\0" if binary.is_none() => binary = Some(content),
            _ => {}
        }
        at += 8 + length;
    }
    Ok((json.ok_or_else(|| Error::input("it has no JSON chunk"))?, binary))
}

/// The bytes of every buffer: in the container, in the JSON, or in a separate file.
pub(super) fn load<'a>(
    document: &Document,
    binary: Option<&'a [u8]>,
    folder: &Path,
    limits: &LoadLimits,
) -> Result<Vec<Cow<'a, [u8]>>> {
    let mut loaded = Vec::with_capacity(document.buffers.len());
    let mut left = *limits;
    for (i, buffer) in document.buffers.iter().enumerate() {
        let here = |e: Error| e.at(format!("buffer {i}"));
        let content: Cow<[u8]> = match &buffer.uri {
            None => binary.filter(|_| i == 0).ok_or_else(|| here(Error::input("it has no content")))?.into(),
            Some(uri) => match uri.strip_prefix("data:") {
                Some(data) => {
                    let base64 = data.split_once(";base64,").map(|(_, text)| text);
                    let base64 = base64.ok_or_else(|| here(Error::input("its data is not base64")))?;
                    let bytes = base64::engine::general_purpose::STANDARD.decode(base64);
                    bytes.map_err(|cause| here(Error::input(format!("base64: {cause}"))))?.into()
                }
                None => {
                    let bytes = read_bytes(&folder.join(unescaped(uri)), &left)?;
                    left = left.less(bytes.len() as u64);
                    bytes.into()
                }
            },
        };
        if content.len() < buffer.byte_length {
            let message = format!("{} bytes where {} are declared: truncated", content.len(), buffer.byte_length);
            return Err(here(Error::input(message)));
        }
        loaded.push(content);
    }
    Ok(loaded)
}

/// A relative reference with `%20` and other escapes decoded.
fn unescaped(uri: &str) -> String {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let [first, after @ ..] = rest {
        let code = match rest {
            [b'%', a, b, ..] => std::str::from_utf8(&[*a, *b]).ok().and_then(|hex| u8::from_str_radix(hex, 16).ok()),
            _ => None,
        };
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
