//! The passes, from text to text.
//!
//! A file of the folder `passes` has cases. A case begins with `== ` and what it shows, then `pass NAME`; the form before the
//! pass, as [`ctm_codegen::read`] takes it; a line `=>`; the form after it. `CTM_BLESS=1` writes what comes out.
//!
//! * `rules`: the nodes that the rules make of the nodes; `exact rules`: only of rules that keep each bit.
//! * `motion`: the blocks of nodes, the registers of variables.
//! * `select`: the operations, with the copies into variables.
//! * `schedule`: the instructions, with their operations and registers.
//! * `emit`: the program, with predicates and jumps.

use ctm_base::stop::Stop;
use ctm_base::work::Work;
use ctm_codegen::case;
use std::collections::HashMap;

#[test]
fn passes_make_of_each_form_the_other() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/passes");
    let bless = std::env::var_os("CTM_BLESS").is_some();
    let mut counts = HashMap::new();
    for entry in std::fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a text");
        let mut fresh = String::new();
        for case in text.split("\n== ").map(|case| case.trim_start_matches("== ")) {
            let (title, rest) = case.split_once('\n').expect("a title");
            let (pass, rest) = rest.split_once('\n').expect("a pass");
            let pass = pass.strip_prefix("pass ").unwrap_or_else(|| panic!("{title}: no pass"));
            let before = rest.split("\n=>").next().unwrap_or(rest).trim_end();
            let after = case::after(pass, before, &Work::new(Stop::never()));
            let after = after.unwrap_or_else(|why| panic!("{title}: {why}"));
            let file = path.file_stem().expect("a name").to_string_lossy().into_owned();
            *counts.entry(file).or_insert(0) += 1;
            let between = if fresh.is_empty() { "" } else { "\n" };
            fresh += &format!("{between}== {title}\npass {pass}\n{before}\n=>\n{after}");
        }
        if bless {
            std::fs::write(&path, &fresh).expect("it can be written");
            continue;
        }
        assert_eq!(fresh, text.replace("\r\n", "\n"), "{}", path.display());
    }
    assert!(counts.len() >= 6 && counts.values().all(|count| *count >= 10), "{counts:?}");
}
