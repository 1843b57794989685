//! Items, branches that go, and the library.

use super::*;

const TEXT: &str = "// A comment; with {\n@group(0) @binding(3)  var<storage, read> a: array<u32>;\n\
    const b: u32 = 1u; // of b\n\nvar<private> c: u32;\nstruct D {\n    e: u32,\n}\n\
    fn f(x: D) -> u32 { return x.e; }\n@compute @workgroup_size(64)\nfn main(\n    \
    @builtin(local_invocation_index) lane: u32,\n) {\n    c = b;\n    g();\n}\n\
    fn g() {\n    a[0] = 1;\n}\nfn h(x: D) {\n}\n";

#[test]
fn items_of_every_kind_are_found() {
    let mut items = Items::default();
    items.add(TEXT, |_| true);
    let mut names: Vec<&str> = items.numbers.keys().copied().collect();
    names.sort_unstable();
    assert_eq!(names, ["D", "a", "b", "c", "f", "g", "h", "main"]);
    let reached = items.reached("main");
    for text in ["> a:", "const b", "> c:", "@compute @work", "fn g()"] {
        assert!(reached.contains(text), "{text}\n{reached}");
    }
    for text in ["struct D", "fn f(", "fn h("] {
        assert!(!reached.contains(text), "{text}\n{reached}");
    }
    assert!(items.reached("h").contains("struct D"));
    assert_eq!(items.reached("nothing here"), "");
    let mut functions = Items::default();
    functions.add(TEXT, |text| text.starts_with("fn "));
    let reached = functions.reached("f main");
    assert!(reached.starts_with("fn f(") && !reached.contains("struct"), "{reached}");
}

#[test]
fn comments_come_with_their_item_and_reach_nothing() {
    let mut items = Items::default();
    items.add(
        "// Of the file: f.\n\n// Of a: b.\nconst a: u32 = 1u; // c\nconst b: u32 = 2u;\n// Of f.\n\
         // It calls g.\nfn f() {\n    // Not c, but a.\n}\nconst c: u32 = 3u;\n",
        |_| true,
    );
    assert_eq!(
        items.reached("x = f(); // b"),
        "// Of f.\n// It calls g.\nfn f() {\n    // Not c, but a.\n}\n\n"
    );
    assert_eq!(items.reached("a"), "// Of a: b.\nconst a: u32 = 1u; // c\n");
    assert_eq!(items.reached("b c"), "const b: u32 = 2u;\nconst c: u32 = 3u;\n");
}

fn body(lines: &str) -> String {
    let lines = lines.replace('\n', "\n    ");
    let text = format!(
        "const ON: bool = true;\nconst OFF: bool = false; // no\nconst TWO: u32 = 2u;\n\
         fn f() {{\n    {lines}\n}}\n"
    );
    let trimmed = trimmed(&text, "f");
    let start = trimmed.find("fn f() {").expect("it is there") + 8;
    trimmed[start..].split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn branches_that_are_decided_go() {
    assert_eq!(body("if OFF {\na();\n}\nb();"), "b(); }");
    assert_eq!(body("if ON {\na();\n}\nb();"), "{ a(); } b(); }");
    assert_eq!(body("if OFF {\na();\n} else {\nb();\n}"), "{ b(); } }");
    assert_eq!(body("if ON {\na();\n} else {\nb();\n}\nc();"), "{ a(); } c(); }");
    assert_eq!(
        body("if OFF {\na();\n} else if x {\nb();\n} else {\nc();\n}\nd();"),
        "if x { b(); } else { c(); } d(); }"
    );
    assert_eq!(
        body("if ON {\na();\n} else if x {\nb();\n} else {\nc();\n}\nd();"),
        "{ a(); } d(); }"
    );
    assert_eq!(body("if OFF {\na();\n} else if TWO > 2u {\nb();\n} else {\nc();\n}"), "{ c(); } }");
    // Nested branches, too.
    assert_eq!(
        body("if x {\nif OFF {\na();\n}\nif ON {\nif OFF {\nb();\n}\nc();\n}\n}"),
        "if x { { c(); } } }"
    );
    assert_eq!(
        body("for (;;) {\nif OFF {\nfor (;;) {\na();\n}\n}\nb();\n}"),
        "for (;;) { b(); } }"
    );
}

#[test]
fn what_is_not_understood_stays() {
    for text in [
        "if x { a(); }",
        "if (TWO == 2u) || x { a(); }",
        "if TWO == x { a(); }",
        "if TWO >= 2u { a(); }",
        "if ON & x { a(); }",
    ] {
        let lines = text.replace("{ ", "{\n").replace("; }", ";\n}");
        assert_eq!(body(&lines), format!("{text} }}"));
    }
}

/// Nothing may remain after a return.
#[test]
fn nothing_gets_past_a_return() {
    assert_eq!(body("if TWO == 2u {\nreturn 1;\n}\na();\nreturn 2;"), "return 1; }");
    assert_eq!(body("if TWO != 2u {\nreturn 1;\n}\nreturn 2;"), "return 2; }");
    assert_eq!(
        body("loop {\nif ON {\na();\nbreak;\n}\nif x {\nb();\n}\nc();\n}\nd();"),
        "loop { a(); break; } d(); }"
    );
}

#[test]
fn what_is_called_no_more_goes() {
    let text = "const ON: bool = false;\nstruct S {\n    a: u32,\n}\nvar<private> s: S;\n\
                fn used() {\n}\nfn unused() {\n    s.a = 1;\n}\n\
                @compute @workgroup_size(64)\nfn main() {\n    if ON {\n        unused();\n    \
                }\n    used();\n}\n";
    assert_eq!(
        trimmed(text, "main"),
        "fn used() {\n}\n\n@compute @workgroup_size(64)\nfn main() {\n    used();\n}\n"
    );
}

#[test]
fn what_is_called_comes_with_what_it_calls() {
    let text = library("x = x1k_mad(a, b, c, true);", Guards::Ieee);
    for name in ["fn x1k_mad(", "fn x1k_add_flushed(", "fn x1k_product_loose(", "const X1K_SIGN"] {
        assert!(text.contains(name), "{name}\n{text}");
    }
    for name in ["x1k_sin", "TABLE_", "fast_", "mem_"] {
        assert!(!text.contains(name), "{name}\n{text}");
    }
}

/// Without it compilers know the zero, and contract.
#[test]
fn every_entry_point_sets_the_zero() {
    let probe = trimmed(&crate::probe::kernel(Guards::Ieee, &crate::probe::probed()), "probe");
    for text in [crate::variant::Variant::everything().source(), probe] {
        assert_eq!(text.matches("\n    x1k_zero = groups.z - 1u;\n").count(), 1, "{text}");
    }
}

#[test]
fn every_part_is_valid_alone() {
    for guards in Guards::ALL {
        let items = items(guards);
        let functions = items.numbers.iter().filter(|(_, n)| items.items[**n].1.starts_with("fn "));
        for (name, _) in functions.filter(|(name, _)| !name.starts_with("mem_")) {
            let text = library(name, guards);
            let module = naga::front::wgsl::parse_str(&text)
                .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(&text)));
            let mut validator = naga::valid::Validator::new(
                naga::valid::ValidationFlags::all(),
                naga::valid::Capabilities::default(),
            );
            validator.validate(&module).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        }
    }
}
