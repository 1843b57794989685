use super::*;

fn right_results(functions: &[Function], tuples: &[[u32; 4]]) -> Vec<u32> {
    functions.iter().flat_map(|f| tuples.iter().map(|&t| (f.exact)(t))).collect()
}

#[test]
fn right_results_pass() {
    let (functions, tuples) = (probed(), hard());
    let results = right_results(&functions, &tuples);
    assert_eq!(compare(&functions, &tuples, &results), None);
}

/// A single wrong bit anywhere is found and reported with its operands.
#[test]
fn one_wrong_bit_is_found() {
    let (functions, tuples) = (probed(), hard());
    let right = right_results(&functions, &tuples);
    for (number, function) in functions.iter().enumerate() {
        let (tuple, bit) = (37 * number % tuples.len(), number % 32);
        let mut results = right.clone();
        results[number * tuples.len() + tuple] ^= 1 << bit;
        let expected = (function.exact)(tuples[tuple]);
        assert_eq!(
            compare(&functions, &tuples, &results),
            Some(Mismatch {
                function: function.name.clone(),
                operands: tuples[tuple][..function.operands].to_vec(),
                got: expected ^ (1 << bit),
                expected,
            })
        );
    }
}

#[test]
fn errors_say_what_was_wrong() {
    let product = Mismatch {
        function: "mul".to_string(),
        operands: vec![0x3f7f_ffff, 0x0080_0000],
        got: 0,
        expected: 0x0080_0000,
    };
    let sine =
        Mismatch { function: "sin".to_string(), operands: vec![0x3f80_0000], got: 1, expected: 0 };
    assert_eq!(
        ProbeError::Unsuitable(vec![(Guards::Ieee, product), (Guards::Normal, sine)]).to_string(),
        "the adapter does not give the exact bits at any guard level; \
         level 0: mul(0x3f7fffff, 0x00800000) gave 0x00000000, expected 0x00800000; \
         level 1: sin(0x3f800000) gave 0x00000001, expected 0x00000000"
    );
    let error = ProbeError::from(GpuError::OutOfMemory { what: "results".to_string(), bytes: 4 });
    assert_eq!(
        error.to_string(),
        "the float probe could not run: out of GPU memory: results needs 4 bytes"
    );
}
