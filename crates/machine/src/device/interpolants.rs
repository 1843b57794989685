//! set_params: turns three vertices into planes.
//!
//! The parameter block holds 3 vertices of 32 binary32 numbers each: position x, y (in points), z,
//! w, then 7 interpolants of 4 components. z and w have no effect: there is no perspective.

use crate::launch::Interpolant;

/// Bytes of the block at the address in set_params.
pub const PARAMS_BYTES: usize = 3 * 32 * 4;

/// One vertex: the bits of x, y, z, w, then of 7 interpolants of 4 components.
pub type Vertex = [u32; 32];

/// The three vertices do not span a plane.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "the vertices ({}, {}), ({}, {}), ({}, {}) lie on a line",
    .vertices[0][0], .vertices[0][1], .vertices[1][0], .vertices[1][1], .vertices[2][0], .vertices[2][1]
)]
pub struct DegenerateError {
    /// x and y of the three vertices.
    pub vertices: [[f32; 2]; 3],
}

/// Splits the block into vertices.
pub(super) fn vertices(block: &[u8; PARAMS_BYTES]) -> [Vertex; 3] {
    let mut vertices = [[0; 32]; 3];
    for (word, bytes) in vertices.as_flattened_mut().iter_mut().zip(block.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    vertices
}

/// The planes a + b x + c y through the three vertices' values, one for each component of the
/// interpolants, computed in binary64 and rounded once to binary32.
///
/// With d1, d2 the differences of the second and third vertex to the first one: b = (v1 y2 - v2 y1)
/// / det, c = (x1 v2 - x2 v1) / det, a = v0 - b x0 - c y0 with det = x1 y2 - x2 y1. A coefficient
/// that is a NaN is 0x7fffffff.
///
/// # Errors
/// [`DegenerateError`] if the three are on a line or a coordinate is not finite.
pub fn planes(vertices: &[Vertex; 3]) -> Result<[Interpolant; 7], DegenerateError> {
    let number = |v: usize, n: usize| f64::from(f32::from_bits(vertices[v][n]));
    let (x0, y0) = (number(0, 0), number(0, 1));
    let (x1, y1) = (number(1, 0) - x0, number(1, 1) - y0);
    let (x2, y2) = (number(2, 0) - x0, number(2, 1) - y0);
    let det = x1 * y2 - x2 * y1;
    if det == 0.0 || !det.is_finite() {
        return Err(DegenerateError {
            vertices: [0, 1, 2].map(|v| [0, 1].map(|n| f32::from_bits(vertices[v][n]))),
        });
    }
    let mut planes = [[[0; 3]; 4]; 7];
    for (n, plane) in planes.as_flattened_mut().iter_mut().enumerate() {
        let v0 = number(0, 4 + n);
        let (v1, v2) = (number(1, 4 + n) - v0, number(2, 4 + n) - v0);
        let b = (v1 * y2 - v2 * y1) / det;
        let c = (x1 * v2 - x2 * v1) / det;
        let a = v0 - b * x0 - c * y0;
        *plane = [a, b, c].map(bits);
    }
    Ok(planes)
}

/// Rounds to binary32. All NaNs become one, because their bits depend on the host.
fn bits(x: f64) -> u32 {
    if x.is_nan() { 0x7fff_ffff } else { (x as f32).to_bits() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vertex(x: f32, y: f32, values: [f32; 28]) -> Vertex {
        let mut vertex = [0; 32];
        vertex[0] = x.to_bits();
        vertex[1] = y.to_bits();
        vertex[2] = f32::NAN.to_bits();
        vertex[3] = 0.25f32.to_bits();
        for (word, value) in vertex[4..].iter_mut().zip(values) {
            *word = value.to_bits();
        }
        vertex
    }

    #[test]
    fn planes_go_through_the_vertices() {
        // Component n of the 28 is n + 2 x - 3 y, on a triangle that is not at the origin.
        let at =
            |x: f32, y: f32| vertex(x, y, std::array::from_fn(|n| n as f32 + 2.0 * x - 3.0 * y));
        let planes = planes(&[at(1.0, 2.0), at(17.0, 2.0), at(1.0, 34.0)]).expect("a triangle");
        for (n, plane) in planes.as_flattened().iter().enumerate() {
            assert_eq!(plane.map(f32::from_bits), [n as f32, 2.0, -3.0], "component {n}");
        }
    }

    #[test]
    fn coefficients_are_rounded_once() {
        // b = 1/3: the binary32 nearest to it, not the product of two rounded numbers.
        let mut values = [0.0; 28];
        let first = vertex(0.0, 0.0, values);
        let third = vertex(0.0, 1.0, values);
        values[5] = 1.0;
        let planes = planes(&[first, vertex(3.0, 0.0, values), third]).expect("a triangle");
        assert_eq!(planes[1][1], [0, 0x3eaa_aaab, 0]);
    }

    #[test]
    fn infinite_values_give_the_one_nan() {
        let mut values = [0.0; 28];
        values[0] = f32::INFINITY;
        let planes =
            planes(&[vertex(0.0, 0.0, values), vertex(1.0, 0.0, values), vertex(0.0, 1.0, values)])
                .expect("a triangle");
        assert_eq!(planes[0][0], [0x7fff_ffff; 3]);
        assert_eq!(planes[0][1], [0; 3]);
    }

    #[test]
    fn three_vertices_on_a_line_are_refused() {
        let at = |x, y| vertex(x, y, [1.0; 28]);
        let error = planes(&[at(0.0, 0.0), at(1.5, 3.0), at(2.0, 4.0)]).expect_err("a line");
        assert_eq!(error.to_string(), "the vertices (0, 0), (1.5, 3), (2, 4) lie on a line");
        assert!(planes(&[at(f32::NAN, 0.0), at(1.0, 0.0), at(0.0, 1.0)]).is_err());
        assert!(planes(&[at(0.0, 0.0), at(f32::INFINITY, 0.0), at(0.0, 1.0)]).is_err());
    }

    #[test]
    fn a_block_is_little_endian_words() {
        let mut block = [0; PARAMS_BYTES];
        block[128..132].copy_from_slice(&0x1234_5678u32.to_le_bytes());
        block[380..].copy_from_slice(&0x9abc_def0u32.to_le_bytes());
        let vertices = vertices(&block);
        assert_eq!((vertices[1][0], vertices[2][31]), (0x1234_5678, 0x9abc_def0));
    }
}
