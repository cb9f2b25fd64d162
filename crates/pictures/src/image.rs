//! Images in memory, and as PNG and JPEG files.

use firstcontact::error::{Error, Result};
use firstcontact::io::output;
use std::io::Write;
use std::path::Path;

/// Quality of JPEG files, from 1 to 100: text and edges remain sharp.
const JPEG_QUALITY: u8 = 90;

/// The file format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Lossless.
    Png,
    /// Smaller, with slight losses.
    Jpeg,
}

impl Format {
    /// The format for the extension of a file name, in upper or lower case; `None` if it is not the extension of a
    /// picture.
    pub fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "png" => Some(Self::Png),
            "jpg" | "jpeg" => Some(Self::Jpeg),
            _ => None,
        }
    }
}

/// Pixels, row by row from the top: red, green, blue, opacity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Width and height, pixels.
    pub size: [u32; 2],
    /// Four bytes for each pixel.
    pub rgba: Vec<u8>,
}

impl Image {
    /// Writes the file, whole or not at all, in the format of its extension; PNG without one.
    ///
    /// # Errors
    /// The file cannot be written, or the format does not support a picture of this size.
    pub fn write(&self, path: &Path) -> Result<()> {
        let bytes = match Format::of(path).unwrap_or(Format::Png) {
            Format::Png => self.png(),
            Format::Jpeg => self.jpeg(),
        };
        let bytes = bytes.map_err(|e| e.in_file(path))?;
        let failed = |e: std::io::Error| Error::usage(format!("cannot write: {e}")).in_file(path);
        output::write(path, |to| to.write_all(&bytes).map_err(failed))
    }

    /// The picture as PNG, in memory. Opacity is left out if all pixels are opaque.
    ///
    /// # Errors
    /// The pixels do not match the size.
    pub fn png(&self) -> Result<Vec<u8>> {
        let failed = |e: png::EncodingError| Error::usage(format!("cannot write a picture: {e}"));
        let is_opaque = self.rgba.chunks_exact(4).all(|p| p[3] == 255);
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.size[0], self.size[1]);
        encoder.set_color(if is_opaque { png::ColorType::Rgb } else { png::ColorType::Rgba });
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        let mut writer = encoder.write_header().map_err(failed)?;
        let pixels = if is_opaque { &self.rgb() } else { &self.rgba };
        writer.write_image_data(pixels).map_err(failed)?;
        writer.finish().map_err(failed)?;
        Ok(bytes)
    }

    /// The picture as JPEG, in memory, without its opacity.
    ///
    /// # Errors
    /// A side is longer than 65,535 pixels, or the pixels do not match the size.
    pub fn jpeg(&self) -> Result<Vec<u8>> {
        let [Ok(width), Ok(height)] = self.size.map(u16::try_from) else {
            let [width, height] = self.size;
            return Err(Error::usage(format!("a picture of {width}x{height} pixels is too large for JPEG")));
        };
        let mut bytes = Vec::new();
        let mut encoder = jpeg_encoder::Encoder::new(&mut bytes, JPEG_QUALITY);
        encoder.set_sampling_factor(jpeg_encoder::SamplingFactor::F_1_1);
        encoder.set_optimized_huffman_tables(true);
        let failed = |e: jpeg_encoder::EncodingError| Error::usage(format!("cannot write a picture: {e}"));
        encoder.encode(&self.rgb(), width, height, jpeg_encoder::ColorType::Rgb).map_err(failed)?;
        Ok(bytes)
    }

    fn rgb(&self) -> Vec<u8> {
        self.rgba.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_extension_selects_the_format() {
        let of = |name: &str| Format::of(Path::new(name));
        assert_eq!(["a.png", "b.PNG", "c/d.Png"].map(of), [Some(Format::Png); 3]);
        assert_eq!(["a.jpg", "a.b.JPEG", "ä.Jpg"].map(of), [Some(Format::Jpeg); 3]);
        assert_eq!(["png", ".png", "a.glb", "a.png.txt", "a.", ""].map(of), [None; 6]);
    }

    #[test]
    fn pixels_that_do_not_match_the_size_are_an_error() {
        let image = Image { size: [3, 2], rgba: vec![0; 20] };
        assert!(image.png().is_err() && image.jpeg().is_err());
        let image = Image { size: [70_000, 1], rgba: vec![0; 280_000] };
        assert!(image.jpeg().is_err_and(|e| e.to_string().contains("too large for JPEG")));
    }
}
