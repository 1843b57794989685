//! Plans of launches are whole: every number names something, every binding is what the shader uses and
//! lies inside its buffer, and the page's document is the same in each run.

use ctm::engine::NoProgress;
use ctm::engine::gpu::plan::planner::{Engine, PlanError};
use ctm::engine::gpu::plan::settings::Settings;
use ctm::engine::gpu::plan::value::Document;
use ctm::engine::gpu::shader::guards::Guards;
use ctm::job::Job;
use ctm::launch::FloatMode;
use ctm::witness::{self, Witness};
use ctm_testing::files;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A number of a document.
fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value}: expected a number"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("{value}: expected a list"))
}

/// The bindings that a shader uses of group 0: number and kind.
fn used(text: &str) -> BTreeMap<u64, &'static str> {
    use naga::valid::{Capabilities, ValidationFlags, Validator};
    let module = naga::front::wgsl::parse_str(text).unwrap_or_else(|error| panic!("{error}"));
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
    let info = validator.validate(&module).unwrap_or_else(|error| panic!("{error}"));
    let entry = info.get_entry_point(0);
    let of = |(handle, variable): (naga::Handle<naga::GlobalVariable>, &naga::GlobalVariable)| {
        if entry[handle].is_empty() {
            return None;
        }
        let number = u64::from(variable.binding.as_ref()?.binding);
        match variable.space {
            naga::AddressSpace::Uniform => Some((number, "uniform")),
            naga::AddressSpace::Storage { access } => {
                let writes = access.contains(naga::StorageAccess::STORE);
                Some((number, if writes { "write" } else { "read" }))
            }
            _ => None,
        }
    };
    module.global_variables.iter().filter_map(of).collect()
}

/// Checks steps. Counts the dispatches, and notes the kinds of steps.
fn check(plan: &Value, steps: &Value, kinds: &mut BTreeSet<String>) -> u64 {
    let bytes = |buffer: &Value| number(&list(&plan["buffers"])[number(buffer) as usize]["bytes"]);
    let inside = |buffer: &Value, at: &Value, length: u64| {
        let (at, bytes) = (number(at), bytes(buffer));
        assert!(at.is_multiple_of(4) && length.is_multiple_of(4), "{at} and {length} in {plan}");
        assert!(at + length <= bytes, "{length} bytes at {at} of {bytes}");
    };
    let mut count = 0;
    for step in list(steps) {
        let (kind, what) = step.as_object().and_then(|step| step.iter().next()).expect("a step");
        kinds.insert(kind.clone());
        match kind.as_str() {
            "dispatch" => {
                count += 1;
                let shader = &list(&plan["shaders"])[number(&what["shader"]) as usize];
                let types = list(&shader["bindings"]);
                let bindings = list(&what["bindings"]);
                assert_eq!(types.len(), bindings.len(), "{step}");
                for (of, binding) in types.iter().zip(bindings) {
                    assert_eq!(of[0], binding[0], "{step}");
                    inside(&binding[1], &0.into(), number(&binding[2]));
                }
                assert!(list(&what["groups"]).iter().all(|n| (1..65536).contains(&number(n))));
            }
            "copy" => {
                inside(&what["from"], &what["at"], number(&what["bytes"]));
                inside(&what["to"], &what["to_at"], number(&what["bytes"]));
                assert_ne!(what["from"], what["to"], "{step}");
            }
            "clear" => inside(&what["buffer"], &what["at"], number(&what["bytes"])),
            "write" | "check" => inside(&what["buffer"], &what["at"], 4),
            "repeat" | "when" => {
                inside(&what["buffer"], &what["at"], 4);
                count += check(plan, &what["steps"], kinds);
            }
            "log" => {
                inside(&what["results"], &what["at"], 36 * number(&what["capacity"]));
                inside(&what["record"], &what["record_at"], 4);
                count += check(plan, &what["steps"], kinds);
            }
            "apply" => inside(&what["buffer"], &0.into(), 4),
            other => panic!("a step of kind {other}"),
        }
    }
    count
}

/// The document of a job's page.
fn document(file: &Path) -> Value {
    let job = Job::read(file).unwrap_or_else(|error| panic!("{error}"));
    let made = Witness::new(&job, "job", &NoProgress);
    let (witness, _) = made.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    serde_json::to_value(&witness).expect("JSON")
}

/// Every job of `kernels` has the plans of both engines, unless its groups share registers: then it has none,
/// as no engine on a GPU runs it. docs/browser.md has the list.
#[test]
fn jobs_without_plans_are_those_whose_groups_share_registers() {
    let docs = files::root().join("docs/browser.md");
    let docs = std::fs::read_to_string(docs).expect("a page");
    let mut without = Vec::new();
    for file in files::jobs("kernels") {
        let job = Job::read(&file).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(job.mode, FloatMode::Exact, "{}", file.display());
        for engine in Engine::ALL {
            let (mut document, settings) = (Document::default(), Settings::GUARANTEED);
            let plan = witness::plan(&job, &mut document, engine, Guards::default(), settings);
            match plan.unwrap_or_else(|error| panic!("{error}")) {
                Ok(plan) => assert!(plan.launches > 0, "{}", file.display()),
                Err(PlanError::Launch { reason, .. }) => {
                    assert!(reason.starts_with("groups share registers, "), "{reason}");
                    without.push((file.clone(), engine));
                }
                Err(error) => panic!("{}: {error}", file.display()),
            }
        }
    }
    let expected = files::SHARING.iter().flat_map(|name| {
        let listed = name.strip_suffix(".toml").expect("a job");
        assert!(docs.contains(&format!("`{listed}`")), "docs/browser.md lacks {listed}");
        Engine::ALL.map(|engine| (files::root().join("kernels").join(name), engine))
    });
    assert_eq!(without, expected.collect::<Vec<_>>());
}

#[test]
fn plans_of_all_kernels_are_whole() {
    let (mut kinds, mut texts, mut plans) = (BTreeSet::new(), BTreeMap::new(), 0);
    let small = |file: &PathBuf| !files::is_large(file) && !files::is_sharing(file);
    for file in files::jobs("kernels").into_iter().filter(small) {
        let document = document(&file);
        let contents = list(&document["contents"]).len() as u64;
        for plan in list(&document["plans"]) {
            plans += 1;
            for shader in list(&plan["shaders"]) {
                let text = list(&document["texts"])[number(&shader["text"]) as usize].as_str();
                let text = text.expect("a text");
                let used = texts.entry(text.to_string()).or_insert_with_key(|text| used(text));
                let bound = list(&shader["bindings"]).iter();
                let bound: BTreeMap<u64, &str> =
                    bound.map(|b| (number(&b[0]), b[1].as_str().expect("a kind"))).collect();
                for (number, kind) in used.iter() {
                    assert_eq!(bound.get(number), Some(kind), "{}", file.display());
                }
            }
            for buffer in list(&plan["buffers"]) {
                assert!(number(&buffer["bytes"]) > 0);
                assert!(buffer.get("content").is_none_or(|content| number(content) < contents));
            }
            assert!(number(&plan["read"]) < list(&plan["buffers"]).len() as u64);
            let dispatches = check(plan, &plan["steps"], &mut kinds);
            assert!(dispatches >= number(&plan["launches"]).max(1), "{}", file.display());
        }
    }
    assert!(plans > 100, "{plans}");
    for kind in ["dispatch", "copy", "clear", "check", "log", "apply"] {
        assert!(kinds.contains(kind), "no step of kind {kind}: {kinds:?}");
    }
}

#[test]
fn a_document_is_the_same_in_each_run() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/saxpy/saxpy.toml");
    let [one, two] = [&file, &file].map(|file| document(file));
    assert_eq!(one, two);
    assert_eq!(list(&one["probe"]["plans"]).len(), 3);
    let engines = list(&one["plans"]).iter().map(|plan| plan["engine"].as_str().expect("a name"));
    let engines: Vec<&str> = engines.collect();
    let expected = [["probe"; 3], ["translated"; 3], ["interpreter"; 3]].concat();
    assert_eq!(engines, expected);
}
