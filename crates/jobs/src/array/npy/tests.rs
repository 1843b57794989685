use super::*;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// A file with the given header text and data.
fn file(header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

fn header(descr: &str, fortran: bool, shape: &str) -> String {
    let fortran = if fortran { "True" } else { "False" };
    format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n")
}

#[test]
fn headers_are_read_however_they_are_written() {
    for (dtype, descr) in [(Dtype::Float32, "<f4"), (Dtype::Uint8, "|u1"), (Dtype::Uint16, "<u2")] {
        for shape in [vec![5], vec![2, 3], vec![0, 4], vec![10, 1, 4], vec![1, 2, 3, 4]] {
            let units = vec![1; shape.iter().product()];
            let mut written = Vec::new();
            let array = Array { dtype, shape: shape.clone(), units };
            write(&array, &mut written).unwrap();
            let end = 10 + usize::from(written[8]);
            let text: Vec<String> = shape.iter().map(usize::to_string).collect();
            let one = if shape.len() == 1 { "," } else { "" };
            let text = format!("({}{one})", text.join(", "));
            let by_numpy = file(&header(descr, false, &text), &written[end..]);
            let other =
                format!("\n{{ \"shape\":{text},'fortran_order' :False,'descr':'{descr}'}} ");
            let other = file(&other, &written[end..]);
            for bytes in [written, by_numpy, other] {
                assert_eq!(parse(&bytes).unwrap(), array);
            }
        }
    }
    for shape in
        ["(2,,)", "(,)", "(02, 3)", "(2, x)", "(2", "2", "{2: 3}", "'2'", "(2, '3')", "(2,) 1"]
    {
        let said = message(&file(&header("<f4", false, shape), &[0; 24]));
        assert!(said.starts_with("bad .npy header: "), "{shape}: {said}");
    }
    assert!(parse(&file(&header("<f4", false, "()"), &[0; 4])).unwrap().shape.is_empty());
}

fn message(bytes: &[u8]) -> String {
    parse(bytes).unwrap_err().to_string()
}

#[test]
fn what_is_written_is_read_bit_for_bit() {
    for (dtype, units) in [
        (Dtype::Float32, vec![0x7fc0_0001, 0x8000_0000, 1, 0x3f80_0000]),
        (Dtype::Uint8, vec![0, 1, 254, 255]),
        (Dtype::Uint16, vec![0, 256, 65534, 65535]),
    ] {
        for shape in [vec![4], vec![2, 2], vec![1, 2, 2], vec![2, 1, 1, 2]] {
            let array = Array { dtype, shape, units: units.clone() };
            let mut bytes = Vec::new();
            write(&array, &mut bytes).unwrap();
            assert_eq!(parse(&bytes).unwrap(), array);
        }
    }
    let empty = Array { dtype: Dtype::Uint8, shape: vec![0, 4], units: vec![] };
    let mut bytes = Vec::new();
    write(&empty, &mut bytes).unwrap();
    assert_eq!(parse(&bytes).unwrap(), empty);
    let wrong = Array { dtype: Dtype::Uint8, shape: vec![3], units: vec![] };
    assert_eq!(
        write(&wrong, &mut bytes).unwrap_err().to_string(),
        "the array's shape does not fit its contents"
    );
}

#[test]
fn the_bytes_written_are_a_literal_that_numpy_reads() {
    let array = Array { dtype: Dtype::Uint16, shape: vec![1, 2], units: vec![0x0102, 3] };
    let mut bytes = Vec::new();
    write(&array, &mut bytes).unwrap();
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let end = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert_eq!(end % 16, 0);
    let text = std::str::from_utf8(&bytes[10..end]).unwrap();
    assert_eq!(text.trim_end(), "{'descr': '<u2', 'fortran_order': False, 'shape': (1, 2, ), }");
    assert_eq!(&bytes[end..], [2, 1, 3, 0]);
}

#[test]
fn byte_orders_and_axis_orders_are_understood() {
    let big = file(&header(">f4", false, "(1, 1)"), &[0x3f, 0x80, 0, 1]);
    assert_eq!(parse(&big).unwrap().units, [0x3f80_0001]);
    let big = file(&header(">u2", false, "(2,)"), &[1, 2, 3, 4]);
    assert_eq!(parse(&big).unwrap().units, [0x0102, 0x0304]);
    // Rows (0 1 2), (3 4 5) of two channels each, first axis fastest in the file.
    let data: Vec<u8> = vec![0, 30, 10, 40, 20, 50, 1, 31, 11, 41, 21, 51];
    let fortran = file(&header("|u1", true, "(2, 3, 2)"), &data);
    assert_eq!(parse(&fortran).unwrap().units, [0, 1, 10, 11, 20, 21, 30, 31, 40, 41, 50, 51]);
}

#[test]
fn header_versions_2_and_3_are_read() {
    for version in [2, 3] {
        let text = header("|u1", false, "(1,)");
        let mut bytes = b"\x93NUMPY".to_vec();
        bytes.extend([version, 0]);
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes.push(9);
        assert_eq!(parse(&bytes).unwrap().units, [9]);
    }
}

#[test]
fn every_error_says_what_was_found() {
    assert_eq!(message(b""), "not a .npy file");
    assert_eq!(message(b"\x93NUMPX\x01\x00\x00\x00"), "not a .npy file");
    assert_eq!(
        message(b"\x93NUMPY\x02\x00\xff\xff\xff\xff"),
        "the .npy header has 4294967295 bytes; the file has 12 and at most 10000 are read"
    );
    assert_eq!(
        message(&file(&header("<f8", false, "(2, 3)"), &[0; 48])),
        "found float64 (2, 3), needed float32, uint8 or uint16"
    );
    assert_eq!(
        message(&file(&header("<i4", false, "(7,)"), &[0; 28])),
        "found int32 (7,), needed float32, uint8 or uint16"
    );
    assert_eq!(
        message(&file(&header("|S3", false, "()"), &[0; 3])),
        "found type '|S3' (), needed float32, uint8 or uint16"
    );
    assert_eq!(
        message(&file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", &[0; 4])),
        "found a structured type (1,), needed float32, uint8 or uint16"
    );
    assert_eq!(
        message(&file(&header("<f4", false, "(2, 2)"), &[0; 15])),
        "float32 (2, 2) needs 16 bytes of data, the file has 15"
    );
    assert_eq!(
        message(&file(&header("<f4", false, "(2, 2)"), &[0; 17])),
        "float32 (2, 2) needs 16 bytes of data, the file has 17"
    );
    assert_eq!(
        message(&file("{'descr': '<f4'}", &[])),
        "bad .npy header: missing field `fortran_order`"
    );
    assert!(message(&file("hello", &[])).starts_with("bad .npy header: "));
}

#[test]
fn hostile_headers_are_refused_before_anything_is_allocated() {
    // A header for 2^40 elements, without any data.
    let huge = file(&header("<f4", false, "(1048576, 1048576)"), &[]);
    assert_eq!(
        message(&huge),
        "float32 (1048576, 1048576) needs 4398046511104 bytes of data, the file has 0"
    );
    let overflow = file(&header("<f4", false, "(4294967296, 4294967296)"), &[]);
    assert_eq!(message(&overflow), "bad .npy header: its numbers are too large");
    let zero = file(&header("<f4", false, "(0, 4294967296, 4294967296)"), &[]);
    assert_eq!(message(&zero), "bad .npy header: its numbers are too large");
    let digits = file(&header("<f4", false, &"9".repeat(5000)), &[]);
    assert_eq!(
        message(&digits),
        "bad .npy header: invalid integer: integer overflow at `header.shape`"
    );
    let deep = file(&"(".repeat(9000), &[]);
    assert_eq!(message(&deep), "bad .npy header: cannot recurse further; max recursion depth met");
    assert!(message(&file(&header("<f4", false, "(-1,)"), &[])).contains("negative"));
}

fn runner() -> TestRunner {
    TestRunner::new(ctm_testing::cases(256, 0x006e_7079))
}

#[test]
fn random_bytes_never_panic() {
    let (mut cases, mut good) = (0u32, 0u32);
    let mut run = |bytes: &[u8]| {
        cases += 1;
        if let Ok(array) = parse(bytes) {
            good += 1;
            assert_eq!(
                array.shape.iter().product::<usize>(),
                array.units.len(),
                "shape and contents"
            );
        }
    };
    let valid = file(&header("<u2", true, "(3, 2, 4)"), &[5; 48]);
    let mut strings = runner();
    for _ in 0..2000 {
        let tree = prop::collection::vec(any::<u8>(), 0..200).new_tree(&mut strings);
        run(&tree.unwrap().current());
    }
    // A valid file with some bytes replaced, mostly by characters that occur in headers.
    let letters = b"0123456789(){}[],:'\"<>|=fubiTrueFalse \\xN-+.eEjLU\n";
    let edit = prop_oneof![
        (8usize..80, prop::sample::select(letters.to_vec())),
        (0usize..valid.len(), any::<u8>()),
    ];
    let edits = prop::collection::vec(edit, 1..6);
    let mut mutations = runner();
    for _ in 0..20_000 {
        let mut bytes = valid.clone();
        for (at, value) in edits.new_tree(&mut mutations).unwrap().current() {
            bytes[at] = value;
        }
        run(&bytes);
    }
    println!("{cases} files read, {good} of them arrays");
    assert!(good > 1000 && good < cases, "{good} of {cases}");
}
