//! Pictures as pixels, and as PNG files.

use crate::error::{Error, Result};
use crate::output;
use std::io::Write;
use std::path::Path;

/// Pixels, row by row from the top: red, green, blue, opacity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Pixels across and down.
    pub size: [u32; 2],
    /// Four bytes for each pixel.
    pub rgba: Vec<u8>,
}

impl Image {
    /// Writes a PNG file, whole or not at all.
    ///
    /// # Errors
    /// The file cannot be written, or the pixels are not as many as the size says.
    pub fn write(&self, path: &Path) -> Result<()> {
        output::write(path, |to| self.encode(to).map_err(|e| e.in_file(path)))
    }

    /// The picture as PNG, in memory.
    ///
    /// # Errors
    /// The pixels are not as many as the size says.
    pub fn png(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.encode(&mut bytes).map(|()| bytes)
    }

    fn encode(&self, to: impl Write) -> Result<()> {
        let failed = |e: png::EncodingError| Error::usage(format!("cannot write a picture: {e}"));
        let mut encoder = png::Encoder::new(to, self.size[0], self.size[1]);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        let mut writer = encoder.write_header().map_err(failed)?;
        writer.write_image_data(&self.rgba).map_err(failed)?;
        writer.finish().map_err(failed)
    }
}
