//! The alignment of two lists: a longest common subsequence.

/// The most pairs of entries that are compared.
const MAX_PAIRS: usize = 1 << 24;

/// A pair of indices, or an index of one list whose entry the other lacks.
pub type Row = (Option<usize>, Option<usize>);

/// The rows in which two lists stand side by side: equal entries face each other. What is too long to compare, after equal
/// starts, faces nothing.
pub fn align<T: PartialEq>(a: &[T], b: &[T]) -> Vec<Row> {
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (x, y) = (&a[same..], &b[same..]);
    if x.len().saturating_mul(y.len()) > MAX_PAIRS {
        let start = (0..same).map(|n| (Some(n), Some(n)));
        let left = (same..a.len()).map(|n| (Some(n), None));
        let right = (same..b.len()).map(|n| (None, Some(n)));
        return start.chain(left).chain(right).collect();
    }
    // length[i][j]: of the longest common subsequence of x[i..] and y[j..].
    let columns = y.len() + 1;
    let mut length = vec![0u32; (x.len() + 1) * columns];
    for i in (0..x.len()).rev() {
        for j in (0..y.len()).rev() {
            length[i * columns + j] = if x[i] == y[j] {
                length[(i + 1) * columns + j + 1] + 1
            } else {
                length[(i + 1) * columns + j].max(length[i * columns + j + 1])
            };
        }
    }
    let mut rows: Vec<Row> = (0..same).map(|n| (Some(n), Some(n))).collect();
    let (mut i, mut j) = (0, 0);
    while i < x.len() || j < y.len() {
        let (p, q) = (Some(same + i), Some(same + j));
        if i < x.len() && j < y.len() && x[i] == y[j] {
            rows.push((p, q));
            (i, j) = (i + 1, j + 1);
        } else if j == y.len()
            || i < x.len() && length[(i + 1) * columns + j] >= length[i * columns + j + 1]
        {
            rows.push((p, None));
            i += 1;
        } else {
            rows.push((None, q));
            j += 1;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_face_nothing_after_their_equal_starts() {
        let (a, b) = ([&[7; 3][..], &[1; 5000]].concat(), [&[7; 3][..], &[2; 5000]].concat());
        let rows = align(&a, &b);
        assert_eq!((rows.len(), rows[2], rows[3]), (10_003, (Some(2), Some(2)), (Some(3), None)));
    }

    #[test]
    fn equal_entries_face_each_other() {
        let rows = align(b"abcde", b"abxcey");
        let shown: Vec<_> = rows
            .iter()
            .map(|&(a, b)| {
                (a.map(|n| char::from(b"abcde"[n])), b.map(|n| char::from(b"abxcey"[n])))
            })
            .collect();
        let (s, none) = (Some::<char>, None);
        assert_eq!(
            shown,
            [
                (s('a'), s('a')),
                (s('b'), s('b')),
                (none, s('x')),
                (s('c'), s('c')),
                (s('d'), none),
                (s('e'), s('e')),
                (none, s('y')),
            ]
        );
        assert_eq!(align::<u8>(b"", b""), []);
    }
}
