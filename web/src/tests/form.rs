//! The form and the job file are two views of one thing.

use super::{Blob, Blobs, Page, Value, ask, files, json, open};

/// A document: texts and arrays by path; the first file is the one that runs.
type Document = Vec<(String, Vec<u8>)>;

fn document(files: &[(&str, &str)]) -> Document {
    files.iter().map(|(path, text)| (path.to_string(), text.as_bytes().to_vec())).collect()
}

/// Opens a document. Returns its form.
fn form(document: &Document) -> Value {
    let (files, blobs) = files(document);
    let request = json!({ "open": { "main": document[0].0, "files": files, "seconds": 10.0 } });
    let opened = ask(&mut Page::default(), &request, &blobs).0;
    assert!(opened["form"].is_object(), "{opened}");
    opened["form"].clone()
}

/// Makes a change. Returns the answer; the document has the new text first, and the files that were made.
fn change(document: &mut Document, change: Value) -> Value {
    let (files, blobs) = files(document);
    let request = json!({
        "change": { "main": document[0].0, "files": files, "change": change, "seconds": 10.0 }
    });
    let (answer, made) = ask(&mut Page::default(), &request, &blobs);
    let Some(text) = answer["text"].as_str() else { return answer };
    let main = answer["main"].as_str().expect("a name").to_string();
    document.retain(|(path, _)| *path != main);
    document.insert(0, (main, text.as_bytes().to_vec()));
    for file in answer["files"].as_array().expect("files") {
        let range = &file["bytes"];
        let number = |key: &str| range[key].as_u64().expect("a number") as usize;
        let blob = Blob { start: number("start"), length: number("length") };
        let bytes = made.get(blob).expect("bytes").to_vec();
        document.push((file["path"].as_str().expect("a path").to_string(), bytes));
    }
    answer
}

/// A value of a form, and whether the job's text gives it.
fn value(form: &Value, name: &str) -> (Value, bool) {
    let values = form["values"].as_array().expect("values");
    let n = values.iter().position(|one| one["name"] == name);
    let n = n.unwrap_or_else(|| panic!("{name} in {form}"));
    (values[n]["numbers"].clone(), form["given"][n] == true)
}

const SHADER: &str = "uniform vec2 resolution;\nuniform vec3 tint;\nuniform mat2 turn;\nuniform int count;\nuniform bool dark;\n\
                      uniform sampler2D photo;\nvoid main() {\n    vec2 p = turn * (gl_FragCoord.xy / resolution);\n    \
                      float level = dark ? 0.0 : float(count);\n    \
                      gl_FragColor = texture2D(photo, p) * vec4(tint, level);\n}\n";

#[test]
fn a_program_becomes_a_job_with_the_first_change() {
    let mut document = document(&[("a.frag", SHADER)]);
    let before = form(&document);
    assert_eq!(before["size"], json!([192, 144]));
    assert_eq!(value(&before, "resolution"), (json!([192.0, 144.0]), false));
    assert_eq!(before["surfaces"][0]["content"], "seed");
    assert_eq!(
        (&before["surfaces"][0]["name"], &before["surfaces"][0]["role"]),
        (&json!("photo"), &json!("input"))
    );
    change(
        &mut document,
        json!({ "value": { "pass": 0, "name": "tint", "numbers": [0.5, 0.25, 1.0] } }),
    );
    let names: Vec<_> = document.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(names, ["a.toml", "a.frag", "photo.npy"]);
    let after = form(&document);
    assert_eq!(value(&after, "tint"), (json!([0.5, 0.25, 1.0]), true));
    assert_eq!(value(&after, "resolution"), (json!([192.0, 144.0]), true));
    // Everything else is as it was chosen, and the picture is one of colours.
    for name in ["turn", "count", "dark"] {
        assert_eq!(value(&after, name).0, value(&before, name).0, "{name}");
    }
    assert_eq!(after["surfaces"][0]["file"], "photo.npy");
    assert_eq!(after["surfaces"][1]["picture"], 0);
    let text = String::from_utf8(document[0].1.clone()).expect("text");
    assert!(text.contains("image = \"picture.png\""), "{text}");
    // Kinds and matrices are as a job has them.
    for (name, numbers, line) in [
        ("turn", json!([1.0, 2.0, 3.0, 4.0]), "turn = [[1.0, 2.0], [3.0, 4.0]]"),
        ("count", json!([3.7]), "count = 3"),
        ("dark", json!([1.0]), "dark = true"),
    ] {
        change(&mut document, json!({ "value": { "pass": 0, "name": name, "numbers": numbers } }));
        let text = String::from_utf8(document[0].1.clone()).expect("text");
        assert!(text.lines().any(|one| one == line), "{line} in {text}");
    }
    change(&mut document, json!({ "filter": { "surface": 0, "filter": "linear" } }));
    assert_eq!(form(&document)["surfaces"][0]["filter"], "linear");
}

#[test]
fn sizes_and_arrays_change_the_lines_that_they_are_about() {
    let job = "version = 1 # mine\nabout = \"x\"\n\n[program]\nfile = \"a.frag\"\n\n[domain]\ni0 = 0\nj0 = 0\ni1 = 15\nj1 = 7\n\n\
               [uniforms] # by name\nresolution = [16, 8]\ntint = [1, 1, 1]\ncount = 1\ndark = false\n\n\
               [[input]]\nname = \"photo\"\nformat = \"FLOAT32_4\"\nfill = [1, 1, 1, 1]\nwidth = 4\nheight = 4\n\n\
               [[output]]\nslot = 0\nformat = \"UINT8_4\"\n";
    let mut document = document(&[("a.toml", job), ("a.frag", SHADER)]);
    let before = form(&document);
    assert!(!value(&before, "turn").1);
    assert_eq!(before["surfaces"][0]["content"], "fill");
    change(&mut document, json!({ "size": { "width": 32, "height": 24 } }));
    let text = String::from_utf8(document[0].1.clone()).expect("text");
    let wanted =
        job.replace("i1 = 15\nj1 = 7", "i1 = 31\nj1 = 23").replace("[16, 8]", "[32.0, 24.0]");
    assert_eq!(text, wanted);
    // An array of 2 x 3 elements of one channel.
    let mut array =
        b"\x93NUMPY\x01\x00\x46\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
            .to_vec();
    array.resize(79, b' ');
    array.push(b'\n');
    array.extend([0; 24]);
    document.push(("b.npy".to_string(), array));
    let answer = change(&mut document, json!({ "file": { "surface": 0, "file": "b.npy" } }));
    assert_eq!(answer["error"], Value::Null, "{answer}");
    let after = form(&document);
    let photo = &after["surfaces"][0];
    assert_eq!((&photo["file"], &photo["format"]), (&json!("b.npy"), &json!("FLOAT32_1")));
    assert_eq!((&photo["width"], &photo["height"]), (&json!(3), &json!(2)));
    // What cannot be changed says so.
    for (wrong, said) in [
        (json!({ "file": { "surface": 0, "file": "c.npy" } }), "c.npy is missing"),
        (json!({ "file": { "surface": 0, "file": "a.frag" } }), ""),
        (
            json!({ "value": { "pass": 0, "name": "odd", "numbers": [1.0] } }),
            "no program has the value `odd`",
        ),
        (
            json!({ "filter": { "surface": 1, "filter": "linear" } }),
            "there is no such input of a shader",
        ),
    ] {
        let answer = change(&mut document, wrong);
        assert!(answer["error"].as_str().is_some_and(|text| text.contains(said)), "{answer}");
    }
    assert_eq!(form(&document), after);
}

#[test]
fn passes_and_constants_have_their_own_lines() {
    let job = "version = 1\n[[buffer]]\nname = \"a\"\nwidth = 8\nheight = 8\nformat = \"FLOAT32_4\"\n\n\
               [[pass]]\nprogram = { file = \"a.dpp\" }\ndomain = { i0 = 0, j0 = 0, i1 = 7, j1 = 7 }\noutputs = { 0 = \"a\" }\n\
               constants.float.speed = 2\n\n\
               [[pass]]\nprogram = { file = \"a.dpp\" }\ndomain = { i0 = 0, j0 = 0, i1 = 7, j1 = 7 }\noutputs = { 0 = \"a\" }\n";
    let program = ".const speed c0\n    mov o0, speed\n";
    let mut document = document(&[("a.toml", job), ("a.dpp", program)]);
    let before = form(&document);
    assert_eq!((&before["given"], &before["size"]), (&json!([true, false]), &json!([8, 8])));
    change(
        &mut document,
        json!({ "value": { "pass": 1, "name": "speed", "numbers": [1.0, 0.5, 0.0, 0.0] } }),
    );
    change(
        &mut document,
        json!({ "value": { "pass": 0, "name": "speed", "numbers": [3.0, 0.0, 0.0, 0.0] } }),
    );
    let after = form(&document);
    assert_eq!(after["given"], json!([true, true]));
    assert_eq!(after["values"][0]["numbers"], json!([3.0, 0.0, 0.0, 0.0]));
    assert_eq!(after["values"][1]["numbers"], json!([1.0, 0.5, 0.0, 0.0]));
    // The array of the last picture.
    let mut page = Page::default();
    open(&mut page, &[("b.dpp", "    mov o0, 0.5\n")]);
    ask(&mut page, &json!({ "run": { "seconds": 10.0 } }), &Blobs::default());
    let (answer, blobs) = ask(&mut page, &json!({ "array": { "picture": 0 } }), &Blobs::default());
    let start = answer["array"]["start"].as_u64().expect("a range") as usize;
    assert_eq!(blobs.get(Blob { start, length: 6 }), Some(&b"\x93NUMPY"[..]));
}

/// Two passes over a buffer between them: all that has the size of their domain changes with it.
#[test]
fn the_size_of_several_passes_is_that_of_all_and_of_their_buffers() {
    let pass = |inputs: &str, output: &str| {
        format!(
            "[[pass]]\nprogram = {{ file = \"a.dpp\" }}\ndomain = {{ i0 = 0, j0 = 0, i1 = 7, j1 = 3 }}\n{inputs}outputs = {{ 0 = \"{output}\" }}\n"
        )
    };
    let buffer = |name: &str, size: &str| {
        format!("[[buffer]]\nname = \"{name}\"\n{size}\nformat = \"FLOAT32_4\"\n\n")
    };
    let job = |size: &str, more: &str| {
        let table = buffer("table", "width = 4\nheight = 4");
        let parts = [buffer("a", size), buffer("b", size), table, pass("", "a"), pass("", "b")];
        format!("version = 1\n{}{more}", parts.concat())
    };
    let program = "    mov o0, r0\n";
    let whole = job("width = 8\nheight = 4", "");
    let mut before = document(&[("a.toml", &whole), ("a.dpp", program)]);
    assert_eq!(form(&before)["size"], json!([8, 4]));
    change(&mut before, json!({ "size": { "width": 16, "height": 2 } }));
    let wanted = job("width = 16\nheight = 2", "").replace("i1 = 7, j1 = 3", "i1 = 15, j1 = 1");
    assert_eq!(String::from_utf8(before[0].1.clone()).expect("text"), wanted);
    assert_eq!(form(&before)["size"], json!([16, 2]));
    // Passes with domains of their own have no size in common.
    let odd = whole.replacen("i1 = 7, j1 = 3", "i1 = 6, j1 = 3", 1);
    assert_eq!(form(&document(&[("a.toml", &odd), ("a.dpp", program)]))["size"], Value::Null);
}

/// A `.npy` file of sevens, with four bytes an element.
fn array(height: usize, width: usize) -> Vec<u8> {
    let header =
        format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({height}, {width}, 4), }}");
    let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    bytes.extend(format!("{header:117}\n").bytes());
    bytes.extend(vec![7; 4 * width * height]);
    bytes
}

/// The result of a filter has the size of its only input; varyings keep their values at the corners.
#[test]
fn a_result_follows_the_size_of_its_input() {
    let shader = "varying vec2 uv;\nuniform sampler2D t;\nvoid main() { gl_FragColor = texture2D(t, uv); }\n";
    let job = "version = 1\nprogram = { file = \"a.frag\" }\ndomain = { i0 = 0, j0 = 0, i1 = 3, j1 = 1 }\n\
               [[input]]\nname = \"t\"\nformat = \"UINT8_4\"\nfill = [9, 9, 9, 255]\nwidth = 4\nheight = 2\n\
               [[initial]]\nname = \"uv\"\nplane = [[0.125, 0.25, 0, 1], [0.25, 0, 0, 0], [0, 0.5, 0, 0]]\n\
               [[output]]\nslot = 0\nformat = \"UINT8_4\"\n";
    let mut document = document(&[("a.toml", job), ("a.frag", shader)]);
    document.push(("b.npy".to_string(), array(4, 8)));
    change(&mut document, json!({ "file": { "surface": 0, "file": "b.npy" } }));
    let after = form(&document);
    assert_eq!(after["size"], json!([8, 4]), "{after}");
    let text = String::from_utf8_lossy(&document[0].1).into_owned();
    assert!(
        text.contains("plane = [[0.0625, 0.125, 0, 1], [0.125, 0, 0, 0], [0, 0.25, 0, 0]]"),
        "{text}"
    );
    // A result of another size keeps it, and what is refused is named.
    change(&mut document, json!({ "size": { "width": 2, "height": 2 } }));
    change(&mut document, json!({ "file": { "surface": 0, "file": "b.npy" } }));
    assert_eq!(form(&document)["size"], json!([2, 2]));
    document.push(("note.png".to_string(), b"text".to_vec()));
    let refused = change(&mut document, json!({ "file": { "surface": 0, "file": "note.png" } }));
    assert!(
        refused["error"].as_str().is_some_and(|why| why.starts_with("note.png: ")),
        "{refused}"
    );
}

/// Passes that begin with an array have its size, and that of another one.
#[test]
fn passes_follow_the_size_of_the_array_that_they_begin_with() {
    let pass = |input: &str, output: &str| {
        format!(
            "[[pass]]\nprogram = {{ file = \"a.dpp\" }}\ninputs = {{ 0 = \"{input}\" }}\noutputs = {{ 0 = \"{output}\" }}\n\
             domain = {{ i0 = 0, j0 = 0, i1 = 3, j1 = 1 }}\n"
        )
    };
    let job = format!(
        "version = 1\n[[buffer]]\nname = \"a\"\nformat = \"UINT8_4\"\nfile = \"a.npy\"\n[[buffer]]\nname = \"b\"\n\
         width = 4\nheight = 2\nformat = \"UINT8_4\"\n{}{}",
        pass("a", "b"),
        pass("b", "a")
    );
    let mut document =
        document(&[("a.toml", &job), ("a.dpp", "    ld r1, i0[r0.rg]\n    mov o0, r1\n")]);
    document.push(("a.npy".to_string(), array(2, 4)));
    document.push(("b.npy".to_string(), array(3, 5)));
    let before = form(&document);
    assert_eq!((&before["size"], &before["size_of"]), (&Value::Null, &json!("a.npy")));
    let changed = change(&mut document, json!({ "file": { "surface": 0, "file": "b.npy" } }));
    let text = changed["text"].as_str().unwrap_or_else(|| panic!("{changed}"));
    assert_eq!(text.matches("i1 = 4, j1 = 2").count(), 2, "{text}");
    assert!(text.contains("width = 5\nheight = 3\n"), "{text}");
    assert_eq!(form(&document)["size_of"], "b.npy");
}
