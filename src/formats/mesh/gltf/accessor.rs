//! Accessors: numbers of several types in the buffers of a glTF document, read without a copy.

use super::Walk;
use crate::error::{Error, Result};

impl Walk<'_, '_> {
    /// The numbers of an accessor: points if `n` is 3, indices if it is 1.
    pub(super) fn numbers(&self, i: usize, n: usize) -> Result<Numbers<'_>> {
        let refuse = |what: &str| Error::input(format!("accessor {i} {what}"));
        let accessor = self.document.accessors.get(i).ok_or_else(|| refuse("does not exist"))?;
        if accessor.sparse.is_some() {
            return Err(refuse("is sparse, which is not supported"));
        }
        if accessor.shape != if n == 3 { "VEC3" } else { "SCALAR" } {
            return Err(refuse("has the wrong type"));
        }
        let component = match (accessor.component_type, n) {
            (5120, 3) => Component::I8,
            (5121, _) => Component::U8,
            (5122, 3) => Component::I16,
            (5123, _) => Component::U16,
            (5125, 1) => Component::U32,
            (5126, 3) => Component::F32,
            _ => return Err(refuse("has the wrong component type")),
        };
        let view = accessor.buffer_view.and_then(|v| self.document.buffer_views.get(v));
        let view = view.ok_or_else(|| refuse("has no buffer view"))?;
        let outside = || refuse("extends beyond its buffer: truncated or damaged");
        let bytes = self
            .buffers
            .get(view.buffer)
            .and_then(|b| b.get(view.byte_offset..)?.get(..view.byte_length)?.get(accessor.byte_offset..))
            .ok_or_else(outside)?;
        let size = component.n_bytes() * n;
        let stride = view.byte_stride.unwrap_or(size);
        let last = accessor.count.saturating_sub(1).checked_mul(stride).and_then(|at| at.checked_add(size));
        if stride < size || (accessor.count > 0 && last.is_none_or(|end| end > bytes.len())) {
            return Err(outside());
        }
        Ok(Numbers { bytes, stride, component, count: accessor.count, is_normalized: accessor.normalized })
    }
}

/// The types of an accessor's numbers.
#[derive(Clone, Copy)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn n_bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }
}

/// The elements of an accessor, all of them within its buffer.
pub(super) struct Numbers<'a> {
    bytes: &'a [u8],
    stride: usize,
    component: Component,
    pub count: usize,
    is_normalized: bool,
}

impl Numbers<'_> {
    /// Number `k` of element `i`.
    pub fn get(&self, i: usize, k: usize) -> f64 {
        let b = &self.bytes[i * self.stride + k * self.component.n_bytes()..];
        let (value, largest) = match self.component {
            Component::I8 => (f64::from(b[0] as i8), 127.0),
            Component::U8 => (f64::from(b[0]), 255.0),
            Component::I16 => (f64::from(i16::from_le_bytes([b[0], b[1]])), 32767.0),
            Component::U16 => (f64::from(u16::from_le_bytes([b[0], b[1]])), 65535.0),
            Component::U32 => (f64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]])), 1.0),
            Component::F32 => (f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])), 1.0),
        };
        // Normalised integers represent [0, 1] or [-1, 1]; the most negative one also represents -1.
        if self.is_normalized && largest > 1.0 { (value / largest).max(-1.0) } else { value }
    }
}
