//! Requests as the page makes them, without a browser.

use crate::message::{self, Blob, Blobs};
use crate::page::Page;
use serde_json::{Value, json};

mod form;

/// The answer to a request, and its bytes.
fn ask(page: &mut Page, request: &Value, given: &Blobs) -> (Value, Blobs) {
    message::read(&page.answer(&message::write(request, given))).expect("an answer")
}

/// The answer to a request without bytes.
fn answer(page: &mut Page, request: Value) -> Value {
    ask(page, &request, &Blobs::default()).0
}

/// Opens the first of some files.
fn open(page: &mut Page, files: &[(&str, impl AsRef<[u8]>)]) -> Value {
    open_within(page, files, 10.0)
}

/// Files as a request has them, and their bytes.
fn files(list: &[(impl AsRef<str>, impl AsRef<[u8]>)]) -> (Vec<Value>, Blobs) {
    let mut given = Blobs::default();
    let listed = list.iter().map(|(path, text)| {
        let Blob { start, length } = given.add(text.as_ref());
        json!({ "path": path.as_ref(), "bytes": { "start": start, "length": length } })
    });
    (listed.collect(), given)
}

/// The same with a time limit.
fn open_within(page: &mut Page, list: &[(&str, impl AsRef<[u8]>)], seconds: f64) -> Value {
    let (files, given) = files(list);
    let main = &files[0]["path"];
    ask(page, &json!({ "open": { "main": main, "files": files, "seconds": seconds } }), &given).0
}

/// The errors of files: file, line, column, width and message of each.
fn errors(files: &[(&str, &str)]) -> Vec<(String, u64, u64, u64, String)> {
    let opened = open(&mut Page::default(), files);
    let text = |value: &Value| value.as_str().expect("text").to_string();
    let number = |value: &Value| value.as_u64().expect("a number");
    let problem = |one: &Value| {
        assert_eq!(one["severity"], "error", "{one}");
        let [line, column, width] = ["line", "column", "width"].map(|key| number(&one[key]));
        (text(&one["file"]), line, column, width, text(&one["message"]))
    };
    opened["problems"].as_array().expect("a list").iter().map(problem).collect()
}

#[test]
fn errors_have_carets() {
    let found = errors(&[("a.dpp", "    mov o0, r0\n    mvo o0.r, r0\n")]);
    assert_eq!(found.len(), 1);
    let (file, line, column, width, message) = &found[0];
    assert_eq!((file.as_str(), *line, *column, *width), ("a.dpp", 2, 5, 3), "{message}");
    let shader =
        "precision highp float;\nvoid main() {\n    gl_FragColor = vec4(1.0) + vec3(1.0);\n}\n";
    let found = errors(&[("a.frag", shader)]);
    let (file, line, column, width, message) = &found[0];
    assert_eq!((file.as_str(), *line), ("a.frag", 3), "{message}");
    let line = shader.lines().nth(2).expect("a line");
    assert!(*column > 4 && *width > 0 && column + width <= line.len() as u64 + 1, "{found:?}");
    let found = errors(&[("a.wgsl", "fn f() -> f32 { return 1; \n")]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].1 > 0, "{found:?}");
}

#[test]
fn an_error_of_a_job_is_in_its_line_and_one_of_a_program_in_the_program() {
    let job = "version = 1\n[program]\nfile = \"a.dpp\"\n[domain]\ni0 = 0\nj0 = 0\ni1 = 7\nj1 = 7\n\
               [[output]]\nslot = 0\nformat = \"FLOAT32_4\"\n";
    let odd = format!("{job}nothing = 1\n");
    let found = errors(&[("a.toml", &odd), ("a.dpp", "mov o0, r0")]);
    assert_eq!((found.len(), found[0].0.as_str(), found[0].1), (1, "a.toml", 12), "{found:?}");
    let found = errors(&[("a.toml", job), ("a.dpp", "mov o0, q0")]);
    assert_eq!((found.len(), found[0].0.as_str(), found[0].1), (1, "a.dpp", 1), "{found:?}");
    let found = errors(&[("a.toml", job)]);
    assert!(found[0].0 == "a.toml" && found[0].4.contains("a.dpp"), "{found:?}");
    assert_eq!(errors(&[("a.toml", job), ("a.dpp", "mov o0, r0")]), []);
}

#[test]
fn a_changed_program_is_proved_equal_to_its_start_or_not() {
    let job = "version = 1\n[program]\nfile = \"a.frag\"\n[domain]\ni0 = 0\nj0 = 0\ni1 = 7\nj1 = 7\n\
               [uniforms]\nspeed = 0.0\n[[output]]\nslot = 0\nformat = \"FLOAT32_4\"\n";
    let shader = |value: &str| {
        format!("uniform float speed;\nvoid main() {{ gl_FragColor = vec4({value}); }}\n")
    };
    let mut page = Page::default();
    let mut proved = |start: &str, now: &str| {
        open(&mut page, &[("a.toml", job), ("a.frag", &*shader(now))]);
        let (list, blobs) = files(&[("a.toml", job), ("a.frag", &*shader(start))]);
        let request = json!({ "same": { "main": "a.toml", "files": list, "seconds": 10.0 } });
        ask(&mut page, &request, &blobs).0["proved"].clone()
    };
    assert_eq!(proved("speed * 2.0", "speed + speed"), json!(true));
    // The job's value of `speed` is one of many.
    assert_eq!(proved("speed * 2.0", "speed * 3.0"), json!(false));
    assert_eq!(proved("speed * nothing", "speed * 3.0"), json!(false));
}

/// Opens a program of four instructions and moves to a point.
fn stepping() -> Page {
    let mut page = Page::default();
    let text = "    mov r1, 0\n    add r1.r, r0.r, 1\n    mul r1.g, r1.r, 2\n    mov o0, r1\n";
    let opened = open(&mut page, &[("a.dpp", text)]);
    assert_eq!(opened["problems"], json!([]));
    assert_eq!(opened["programs"][0]["code"][1]["lines"], json!([2]));
    page
}

#[test]
fn a_step_has_the_variables_of_the_source() {
    let mut page = Page::default();
    let source = "void main() {\n    float x = gl_FragCoord.x * 3.0;\n    float y = sqrt(x);\n    \
        gl_FragColor = vec4(x, y, y + x, 1.0);\n}\n";
    let opened = open(&mut page, &[("a.frag", source)]);
    assert_eq!(opened["problems"], json!([]));
    let code = opened["programs"][0]["code"].as_array().expect("instructions");
    let several = |one: &Value| one["lines"].as_array().is_some_and(|lines| lines.len() > 1);
    assert!(code.iter().any(several), "{code:?}");
    let (first, _) = step(&mut page, json!({ "point": [0, 9, 8] }), "r0", 1);
    let (state, _) = step(&mut page, json!({ "by": 1 }), "r0", 1);
    let of = |state: &Value, name: &str| {
        let all = state["variables"].as_array().expect("variables").clone();
        all.into_iter().find(|one| one["name"] == name)
    };
    assert!(of(&first, "x").is_none());
    let x = of(&state, "x").expect("a value");
    assert_eq!((&x["expression"], &x["components"]), (&json!("x"), &json!([["", true]])));
    let places = x["places"].as_str().expect("places");
    assert!(
        places.starts_with('r') && places.ends_with(", line 2, always in [1.5, 574.5]"),
        "{places}"
    );
    // The register of its place says so, until it holds something else.
    let (register, _) = places.split_once('.').expect("a channel");
    let label = |state: &Value| {
        let n = state["registers"].as_array()?.iter().position(|one| one == register)?;
        Some(state["held"][n].as_str()?.split(',').any(|held| held == "x"))
    };
    assert_eq!(label(&state), Some(true));
    assert_ne!(label(&step(&mut page, json!({ "end": true }), "r0", 1).0), Some(true));
}

/// A watched value, of all points of the group, and the step where it changes.
#[test]
fn a_value_is_watched_by_an_expression() {
    let mut page = stepping();
    let mut watch = |to: Value, watch: &str| {
        let request = json!({ "step": { "to": to, "watch": watch, "seconds": 10.0 } });
        let (state, blobs) = ask(&mut page, &request, &Blobs::default());
        let start = state["watched"]["block"].as_u64().map_or(0, |block| 1024 * block as usize);
        let start = start + state["lanes"]["start"].as_u64().unwrap_or(0) as usize;
        let value = |slot: usize| {
            let bytes = blobs.get(Blob { start: start + 16 * slot, length: 4 });
            bytes.and_then(|bytes| Some(f32::from_le_bytes(bytes.try_into().ok()?)))
        };
        (state.clone(), [value(0), value(3)].map(|value| value.unwrap_or(-1.0)))
    };
    let (state, values) = watch(json!({ "point": [0, 8, 8] }), "column + r1.r");
    assert_eq!((&state["watched"]["components"], values), (&json!(1), [8.0, 11.0]));
    let (state, values) = watch(json!({ "change": ["r1.g", true] }), "r1.g * 2");
    assert_eq!((&state["step"], values), (&json!(3), [36.0, 48.0]));
    let (state, _) = watch(json!({ "change": ["r1.g", false] }), "");
    assert_eq!((&state["step"], &state["watched"]), (&json!(2), &Value::Null));
    let (state, _) = watch(json!({ "change": ["r1 if r1.g > 100", true] }), "");
    assert_eq!(state["error"], "r1 does not change after step 2");
    let (state, _) = watch(json!({ "by": 0 }), "r1.g + nothing");
    assert_eq!(state["step"], 2);
    let missing = state["watched"]["missing"].as_str().expect("a reason");
    assert!(missing.contains("`nothing`: no register or name"), "{missing}");
}

/// Moves. Returns the answer, and red and green of a register at a slot.
fn step(page: &mut Page, to: Value, register: &str, slot: usize) -> (Value, Option<[f32; 2]>) {
    let (state, blobs) =
        ask(page, &json!({ "step": { "to": to, "seconds": 10.0 } }), &Blobs::default());
    let start = state["lanes"]["start"].as_u64();
    let names = state["registers"].as_array();
    let n = names.and_then(|names| names.iter().position(|name| name == register));
    let values = n.zip(start).map(|(n, start)| {
        let start = start as usize + 16 * (64 * n + slot);
        let bytes = blobs.get(Blob { start, length: 8 }).expect("lanes");
        let words = bytes.as_chunks().0;
        [f32::from_le_bytes(words[0]), f32::from_le_bytes(words[1])]
    });
    (state, values)
}

#[test]
fn a_group_steps_forward_and_back() {
    let mut page = stepping();
    let (state, none) = step(&mut page, json!({ "point": [0, 9, 8] }), "r1", 1);
    assert_eq!((&state["step"], &state["steps"], none), (&json!(0), &json!(4), None));
    assert_eq!((&state["slot"], &state["points"][1]), (&json!(1), &json!([9, 8])));
    let (state, values) = step(&mut page, json!({ "by": 3 }), "r1", 1);
    assert_eq!((&state["step"], &state["pc"], values), (&json!(3), &json!(3), Some([10.0, 20.0])));
    assert_eq!(state["registers"][1], "r1");
    let range = state["ranges"][1].as_str().expect("text");
    assert!(range.starts_with("always in [1.0, "), "{range}");
    let (state, values) = step(&mut page, json!({ "by": -1 }), "r1", 1);
    assert_eq!((&state["step"], values), (&json!(2), Some([10.0, 0.0])));
    let (state, values) = step(&mut page, json!({ "end": true }), "o0", 0);
    assert_eq!((&state["step"], values), (&json!(4), Some([9.0, 18.0])));
    assert!(state["end"].is_string(), "{state}");
    let why = json!({ "why": { "slot": 1, "channel": "o0.g", "seconds": 10.0 } });
    let lines = answer(&mut page, why)["why"].as_array().expect("lines").clone();
    let text = |n: usize| lines[n]["text"].as_str().expect("text");
    assert!(text(0).starts_with("o0.g = 20") && text(1).contains("mul r1.g"), "{lines:?}");
    // A value that no instruction wrote leads to the one that reads it.
    let keys = ["depth", "step", "slot", "register"];
    let places = lines.iter().map(|line| keys.map(|key| line[key].clone()));
    let wanted: [[Value; 4]; 4] = [
        [0.into(), 3.into(), 1.into(), Value::Null],
        [1.into(), 2.into(), 1.into(), Value::Null],
        [2.into(), 1.into(), 1.into(), Value::Null],
        [3.into(), 1.into(), 1.into(), "r0.r".into()],
    ];
    assert_eq!(places.collect::<Vec<_>>(), wanted, "{lines:?}");
    let (state, _) = step(&mut page, json!({ "end": false }), "o0", 0);
    assert_eq!(state["step"], 0);
    let (state, _) = step(&mut page, json!({ "pc": [2, true] }), "o0", 0);
    assert_eq!((&state["step"], &state["pc"]), (&json!(2), &json!(2)));
    let (state, _) = step(&mut page, json!({ "group": 1 }), "o0", 0);
    let next = state["group"].as_u64();
    let (state, _) = step(&mut page, json!({ "group": -1 }), "o0", 0);
    assert_eq!(state["group"].as_u64().map(|group| group + 1), next);
    // At an end it stays; a step back from a start is the end of the group before, which has as many steps.
    let group = |state: &Value| state["group"].as_u64().expect("a number");
    let first = group(&step(&mut page, json!({ "group": 1 }), "o0", 0).0);
    let (state, _) = step(&mut page, json!({ "by": -1 }), "o0", 0);
    assert_eq!((group(&state) + 1, &state["step"], &state["steps"]), (first, &json!(4), &json!(4)));
    for _ in 0..2 {
        let (same, _) = step(&mut page, json!({ "end": true }), "o0", 0);
        assert_eq!((&same["group"], &same["step"]), (&state["group"], &json!(4)));
    }
    for _ in 0..2 {
        let (same, _) = step(&mut page, json!({ "end": false }), "o0", 0);
        assert_eq!((&same["group"], &same["step"]), (&state["group"], &json!(0)));
    }
    // What is nowhere changes nothing.
    for to in [
        json!({ "point": [1, 0, 0] }),
        json!({ "point": [0, 5000, 0] }),
        json!({ "to": 5 }),
        json!({ "group": 1000 }),
    ] {
        let (refused, _) = step(&mut page, to.clone(), "r1", 0);
        assert!(refused["error"].is_string(), "{to}: {refused}");
    }
    let (state, _) = step(&mut page, json!({ "by": 1 }), "r1", 0);
    assert_eq!(state["step"], 1);
}

#[test]
fn notes_have_their_lines() {
    let found = |name: &str, text: &str| {
        let opened = open(&mut Page::default(), &[(name, text)]);
        let [one] = &opened["problems"].as_array().expect("a list")[..] else { panic!("{opened}") };
        (one["severity"].clone(), one["line"].clone(), one["message"].to_string())
    };
    let shader = "precision highp float;\nvoid main() {\n    float x = gl_FragCoord.x;\n    \
                  while (x < 1e6)\n    {\n        x += gl_FragCoord.y;\n    }\n    \
                  gl_FragColor = vec4(x);\n}\n";
    let (severity, line, message) = found("a.frag", shader);
    assert_eq!((&severity, &line), (&json!("warning"), &json!(4)), "{message}");
    assert!(message.contains("65,025") && !message.contains("line"), "{message}");
    let (severity, _, message) = found("a.dpp", "add r2, r1, r5\nmov o0, r2\n");
    assert!(severity == "note" && message.contains("r1, r5"), "{message}");
}

#[test]
fn warnings_and_errors_of_a_source_have_their_ranges() {
    let found = |text: &str| -> Vec<_> {
        let opened = open(&mut Page::default(), &[("a.frag", text)]);
        let problems = opened["problems"].as_array().expect("a list").iter();
        let problems = problems.filter(|problem| problem["severity"] != "note");
        problems
            .map(|problem| {
                let place = ["severity", "line", "column", "width"].map(|key| problem[key].clone());
                serde_json::Value::from(place.to_vec())
            })
            .collect()
    };
    let warned = "#version 110\nvarying float v;\nvoid main() {\n  float gain;\n  \
                  gl_FragColor = vec4(gain + v);\n}\n";
    assert_eq!(found(warned), [json!(["warning", 5, 23, 4])]);
    let wrong = "uniform float u;\nvoid main() {\n  u = 1.0;\n  gl_FragColor = vec4(colour);\n}\n";
    assert_eq!(found(wrong), [json!(["error", 3, 3, 1]), json!(["error", 4, 23, 6])]);
}

#[test]
fn what_takes_long_to_open_ends_at_its_limit() {
    let mut page = Page::default();
    let files = [("a.frag", "void main() { gl_FragColor = vec4(0.0, 1.0, 0.0, 1.0); }")];
    let opened = open_within(&mut page, &files, 0.0);
    let message = opened["problems"][0]["message"].as_str().unwrap_or_default();
    assert!(message.contains("time limit"), "{opened}");
    // It is usable afterwards.
    assert_eq!(open(&mut page, &files)["problems"], json!([]));
}

/// A program whose loop has no end.
const ENDLESS: &str =
    "    mov o0, 0\nagain:\n    add r1, r1, 1\n    jump -> again\n    mov o0, r1\n";

#[test]
fn what_has_no_end_ends_at_its_limit() {
    let mut page = Page::default();
    open(&mut page, &[("a.dpp", ENDLESS)]);
    for request in ["run", "witness", "check"] {
        let refused = answer(&mut page, json!({ request: { "seconds": 0.2 } }));
        let error = refused["error"].as_str().unwrap_or_default();
        assert!(error.contains("time limit"), "{request}: {refused}");
    }
    let end = json!({ "step": { "to": { "to": u64::MAX }, "seconds": 0.2 } });
    let refused = answer(&mut page, end);
    assert!(
        refused["error"].as_str().is_some_and(|error| error.contains("time limit")),
        "{refused}"
    );
    // It is usable afterwards.
    open(&mut page, &[("a.dpp", "    mov o0, {0, 1, 0, 1}\n")]);
    let (run, blobs) = ask(&mut page, &json!({ "run": { "seconds": 10.0 } }), &Blobs::default());
    let pixels = &run["pictures"][0]["pixels"];
    let [start, length] = ["start", "length"].map(|key| pixels[key].as_u64().expect("a number"));
    let pixels = Blob { start: start as usize, length: length as usize };
    let pixels = blobs.get(pixels).expect("pixels");
    assert_eq!(pixels.len(), 4 * 192 * 144);
    assert!(pixels.chunks_exact(4).all(|pixel| pixel == [0, 255, 0, 255]));
    let element = json!({ "element": { "picture": 0, "column": 191, "row": 143 } });
    let one = 1f32.to_bits();
    assert_eq!(answer(&mut page, element)["values"]["units"], json!([0, one, 0, one]));
    let element = json!({ "element": { "picture": 0, "column": 192, "row": 0 } });
    assert_eq!(answer(&mut page, element)["values"], Value::Null);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let mut page = Page::default();
    let said = |bytes: &[u8]| {
        let (said, _) = message::read::<Value>(bytes).expect("an answer");
        said["error"].as_str().expect("an error").to_string()
    };
    assert_eq!(said(&page.answer(&[])), "the message is cut off");
    assert_eq!(said(&page.answer(&[9, 0, 0, 0, b'{'])), "the message is cut off");
    let odd = page.answer(&message::write(&json!({ "odd": 1 }), &Blobs::default()));
    assert!(said(&odd).contains("odd"));
    for request in ["run", "witness", "check"] {
        let refused = answer(&mut page, json!({ request: { "seconds": 1.0 } }));
        assert_eq!(refused["error"], "no job is open");
    }
    let why = json!({ "why": { "slot": 0, "channel": "r0.r", "seconds": 1.0 } });
    assert_eq!(answer(&mut page, why)["error"], "nothing is being stepped through");
    // A program whose bytes are not in the message is empty.
    let bytes = json!({ "start": 5, "length": usize::MAX });
    let files = json!([{ "path": "a.dpp", "bytes": bytes }]);
    let opened =
        answer(&mut page, json!({ "open": { "main": "a.dpp", "files": files, "seconds": 1.0 } }));
    assert!(opened["problems"].is_array() || opened["error"].is_string(), "{opened}");
}

/// The first picture of an answer.
fn pixels(answer: &Value, shown: &Value, blobs: &Blobs) -> Vec<u8> {
    assert_eq!(answer["error"], Value::Null, "{answer}");
    let range = &shown["pixels"];
    let number = |key: &str| range[key].as_u64().expect("a range") as usize;
    let blob = Blob { start: number("start"), length: number("length") };
    blobs.get(blob).expect("pixels").to_vec()
}

/// The next frame, with values for names.
fn frame(page: &mut Page, values: Value) -> (Value, Vec<u8>) {
    let request = json!({ "frame": { "values": values, "picture": 0, "seconds": 10.0 } });
    let (answer, blobs) = ask(page, &request, &Blobs::default());
    let pixels = pixels(&answer, &answer["shown"], &blobs);
    (answer, pixels)
}

/// A run of the job that is open.
fn run(page: &mut Page, values: Value) -> Vec<u8> {
    let request = json!({ "run": { "values": values, "seconds": 10.0 } });
    let (answer, blobs) = ask(page, &request, &Blobs::default());
    pixels(&answer, &answer["pictures"][0], &blobs)
}

/// A job of a shader that shows its time, its counter and its pointer.
fn timed(time: &str) -> [(String, String); 2] {
    let shader = "void mainImage(out vec4 color, in vec2 at) {\n    color = vec4(fract(iTime), \
                  float(iFrame) / 255.0, iMouse.x / 255.0, 1.0);\n}\n";
    let job = format!(
        "version = 1\nprogram = {{ file = \"a.frag\" }}\ndomain = {{ i0 = 0, j0 = 0, i1 = 15, j1 = 7 }}\n\
         [uniforms]\niTime = {time}\niFrame = 3\niMouse = [51, 0, 0, 0]\n\
         [[output]]\nslot = 0\nformat = \"UINT8_4\"\nimage = \"a.png\"\n"
    );
    [("a.toml".to_string(), job), ("a.frag".to_string(), shader.to_string())]
}

#[test]
fn a_frame_with_values_is_the_run_of_a_job_that_has_them() {
    let open = |page: &mut Page, time: &str| {
        let files = timed(time);
        let files: Vec<_> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
        open(page, &files)
    };
    let mut page = Page::default();
    let opened = open(&mut page, "0.25");
    let names = opened["form"]["values"].as_array().expect("values").iter();
    let names: Vec<_> =
        names.map(|value| (&value["name"], &value["kind"], &value["rows"])).collect();
    let (float, int) = (json!("float"), json!("int"));
    let [time, frames, mouse] = ["iTime", "iFrame", "iMouse"].map(|name| json!(name));
    for one in [(&time, &float, &json!(1)), (&frames, &int, &json!(1)), (&mouse, &float, &json!(4))]
    {
        assert!(names.contains(&one), "{names:?}");
    }
    assert_eq!(opened["feeds_back"], false);
    let first = run(&mut page, json!([]));
    assert_eq!(first[..4], [64, 3, 51, 255]);
    let values = json!([
        ["iTime", [0.75]],
        ["iFrame", [7.0]],
        ["iMouse", [102.0, 1.0, 2.0, 3.0]],
        ["odd", [1.0]]
    ]);
    let (answer, next) = frame(&mut page, values);
    assert_eq!((&answer["frames"], &next[..4]), (&json!(1), &[191, 7, 102, 255][..]));
    // The stepper and the next run have them, too.
    let (state, _) = step(&mut page, json!({ "point": [0, 0, 0] }), "r0", 0);
    assert_eq!(state["error"], Value::Null, "{state}");
    let (state, values) = step(&mut page, json!({ "end": true }), "o0", 0);
    assert_eq!(values.map(|[red, _]| red), Some(0.75), "{state}");
    assert_eq!(run(&mut page, json!([])), next);
    // Back to what the job says.
    let own = json!([["iTime", [0.25]], ["iFrame", [3.0]], ["iMouse", [51.0, 0.0, 0.0, 0.0]]]);
    assert_eq!(run(&mut page, own), first);
    open(&mut page, "0.75");
    let other = json!([["iFrame", [7.0]], ["iMouse", [102.0, 1.0, 2.0, 3.0]]]);
    assert_eq!(run(&mut page, other), next);
}

#[test]
fn constants_of_assembly_follow_by_name() {
    let mut page = Page::default();
    let text = ".const time c0\n    mov o0, time.rrr1\n";
    let opened = open(&mut page, &[("a.dpp", text)]);
    assert_eq!(opened["form"]["values"][0]["name"], "time", "{opened}");
    run(&mut page, json!([]));
    for time in [0.0, 0.25, 1.0] {
        frame(&mut page, json!([["time", [time]]]));
        // A picture that no job asks for is scaled to its values: the register says which they are.
        step(&mut page, json!({ "point": [0, 0, 0] }), "r0", 0);
        let (_, values) = step(&mut page, json!({ "end": true }), "o0", 0);
        assert_eq!(values, Some([time; 2]));
    }
}

#[test]
fn frames_of_a_job_that_feeds_back_are_its_steps() {
    let program = ".input old i0\n    ld r1, old[r0.rg]\n    add o0, r1, {0.0625, 0.125, 0, 0}\n";
    let job = |repeat: u32| {
        format!(
            "version = 1\n[[buffer]]\nname = \"a\"\nwidth = 8\nheight = 8\nformat = \"FLOAT32_4\"\nimage = \"a.png\"\n\
             [[buffer]]\nname = \"b\"\nwidth = 8\nheight = 8\nformat = \"FLOAT32_4\"\n\
             [[pass]]\nprogram = {{ file = \"a.dpp\" }}\ndomain = {{ i0 = 0, j0 = 0, i1 = 7, j1 = 7 }}\n\
             inputs = {{ old = \"a\" }}\noutputs = {{ 0 = \"b\" }}\nrepeat = {repeat}\nswap = [\"a\", \"b\"]\n"
        )
    };
    let open =
        |page: &mut Page, repeat| open(page, &[("a.toml", &*job(repeat)), ("a.dpp", program)]);
    let mut film = Page::default();
    assert_eq!(open(&mut film, 5)["feeds_back"], true);
    for _ in 0..2 {
        run(&mut film, json!([]));
        for step in 1..8 {
            let (answer, shown) = frame(&mut film, json!([]));
            assert_eq!(answer["frames"], step);
            let mut whole = Page::default();
            open(&mut whole, step);
            assert_eq!(shown, run(&mut whole, json!([])), "step {step}");
            assert_eq!(u32::from(shown[0]), (255 * step + 8) / 16);
        }
    }
}

/// Two passes, each with a constant of the same name.
#[test]
fn a_value_of_one_pass_is_that_of_no_other() {
    let program = ".const level c0\n    mov o0, level.rrr1\n";
    let pass = |output: &str| {
        format!(
            "[[pass]]\nprogram = {{ file = \"a.dpp\" }}\ndomain = {{ i0 = 0, j0 = 0, i1 = 7, j1 = 7 }}\n\
             outputs = {{ 0 = \"{output}\" }}\nconstants = {{ float = {{ level = [0.0, 0.0, 0.0, 0.0] }} }}\n"
        )
    };
    let buffer = |name: &str| {
        format!(
            "[[buffer]]\nname = \"{name}\"\nwidth = 8\nheight = 8\nformat = \"UINT8_4\"\nimage = \"{name}.png\"\n"
        )
    };
    let job =
        ["version = 1\n".to_string(), buffer("a"), buffer("b"), pass("a"), pass("b")].concat();
    let mut page = Page::default();
    let opened = open(&mut page, &[("a.toml", &*job), ("a.dpp", program)]);
    let passes: Vec<_> = opened["form"]["values"]
        .as_array()
        .expect("values")
        .iter()
        .map(|one| &one["pass"])
        .collect();
    assert_eq!(passes, [0, 1], "{opened}");
    let reds = |page: &mut Page, values: Value| {
        let request = json!({ "run": { "values": values, "seconds": 10.0 } });
        let (answer, blobs) = ask(page, &request, &Blobs::default());
        [0, 1].map(|n| pixels(&answer, &answer["pictures"][n], &blobs)[0])
    };
    assert_eq!(reds(&mut page, json!([["level", [1.0, 0.0, 0.0, 0.0], 1]])), [0, 255]);
    assert_eq!(reds(&mut page, json!([["level", [0.2, 0.0, 0.0, 0.0]]])), [51, 51]);
    assert_eq!(reds(&mut page, json!([["level", [1.0, 0.0, 0.0, 0.0], 0]])), [255, 51]);
    assert_eq!(reds(&mut page, json!([["level", [0.0, 0.0, 0.0, 0.0], 7]])), [255, 51]);
}

#[test]
fn a_run_has_the_verdict_on_what_the_job_expects() {
    let job = "version = 1\nprogram = { file = \"a.dpp\" }\ndomain = { i0 = 0, j0 = 0, i1 = 7, j1 = 7 }\n\
               [[output]]\nslot = 0\nformat = \"UINT8_4\"\nimage = \"a.png\"\n";
    let expecting = format!("{job}[[expect]]\noutput = 0\nfile = \"goal.npy\"\n");
    let solution = "    mov o0, {0, 1, 0, 1}\n";
    let run = |page: &mut Page| {
        let request = json!({ "run": { "seconds": 10.0 } });
        ask(page, &request, &Blobs::default())
    };
    let mut page = Page::default();
    open(&mut page, &[("a.toml", job), ("a.dpp", solution)]);
    let (answer, _) = run(&mut page);
    assert_eq!((&answer["checks"], &answer["expected"]), (&json!([]), &json!([])));
    let (answer, blobs) = ask(&mut page, &json!({ "array": { "picture": 0 } }), &Blobs::default());
    let length = answer["array"]["length"].as_u64().expect("bytes") as usize;
    let goal = blobs.get(Blob { start: 0, length }).expect("an array").to_vec();
    let mut verdict = |program: &str, goal: &[u8]| {
        let files =
            [("a.toml", expecting.as_bytes()), ("a.dpp", program.as_bytes()), ("goal.npy", goal)];
        open(&mut page, &files);
        run(&mut page)
    };
    let (answer, blobs) = verdict(solution, &goal);
    assert_eq!(answer["checks"][0]["passed"], true, "{answer}");
    assert_eq!(pixels(&answer, &answer["expected"][0], &blobs)[..4], [0, 255, 0, 255]);
    let (answer, blobs) = verdict("    mov o0, {1, 1, 0, 1}\n", &goal);
    let text = answer["checks"][0]["text"].as_str().expect("text");
    assert!(text.contains("64 of 256 values differ") && text.contains("point (0, 0)"), "{text}");
    assert_eq!(answer["checks"][0]["passed"], false);
    assert_eq!(pixels(&answer, &answer["expected"][0], &blobs)[..4], [0, 255, 0, 255]);
    // A wrong array is in the verdict.
    let (answer, _) = verdict(solution, &goal[..100]);
    assert_eq!((&answer["checks"][0]["passed"], &answer["expected"]), (&json!(false), &json!([])));
    let text = answer["checks"][0]["text"].as_str().expect("text");
    assert!(text.contains("goal.npy"), "{text}");
}
