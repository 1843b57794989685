//! The choice of an adapter, over made-up lists.

use super::*;

fn adapter(index: usize, name: &str, kind: wgpu::DeviceType) -> AdapterInfo {
    let mut raw = wgpu::AdapterInfo::new(kind, wgpu::Backend::Vulkan);
    raw.name = name.to_string();
    AdapterInfo {
        index,
        name: name.to_string(),
        backend: "Vulkan",
        kind: kind.into(),
        driver: String::new(),
        driver_info: String::new(),
        subgroup: (4, 128),
        pipeline_cache: false,
        limits: wgpu::Limits::default(),
        missing: Vec::new(),
        raw,
    }
}

/// The index of the chosen adapter, or the message.
fn chosen(list: &[AdapterInfo], text: &str) -> Result<usize, String> {
    let list: Vec<&AdapterInfo> = list.iter().collect();
    match choose(&list, &AdapterChoice::parse(text)) {
        Ok(info) => Ok(info.index),
        Err(error) => Err(error.to_string()),
    }
}

fn machine() -> Vec<AdapterInfo> {
    use wgpu::DeviceType::*;
    vec![
        adapter(0, "llvmpipe (LLVM 15.0.6, 256 bits)", Cpu),
        adapter(1, "Intel Iris", IntegratedGpu),
        adapter(2, "GeForce 1", DiscreteGpu),
        adapter(3, "GeForce 12", DiscreteGpu),
    ]
}

#[test]
fn texts_are_numbers_names_or_nothing() {
    assert_eq!(AdapterChoice::parse(" 3 "), AdapterChoice::Index(3));
    assert_eq!(AdapterChoice::parse("  "), AdapterChoice::Best);
    assert_eq!(AdapterChoice::parse("GeForce 12"), AdapterChoice::Name("GeForce 12".into()));
    assert!(!AdapterChoice::default().is_named());
}

#[test]
fn the_best_is_discrete_and_first_and_complete() {
    let mut list = machine();
    assert_eq!(chosen(&list, ""), Ok(2));
    list[2].missing.push(GpuError::NoDevice { adapter: String::new(), reason: String::new() });
    assert_eq!(chosen(&list, ""), Ok(3));
    assert_eq!(chosen(&list[..2], ""), Ok(1));
    assert_eq!(
        chosen(&list[..1], "").unwrap_err(),
        "there is no GPU that can be used; a software adapter is used only if `adapter` or \
         CTM_ADAPTER names it; the adapters are:\n  \
         0: llvmpipe (LLVM 15.0.6, 256 bits) (Vulkan, software)"
    );
}

#[test]
fn names_are_parts_in_any_case_and_numbers_are_indices() {
    let list = machine();
    assert_eq!(chosen(&list, "LLVMpipe"), Ok(0));
    assert_eq!(chosen(&list, "3"), Ok(3));
    assert_eq!(chosen(&list, "iris"), Ok(1));
    // A full name beats a longer name that contains it.
    assert_eq!(chosen(&list, "geforce 1"), Ok(2));
    assert_eq!(
        chosen(&list, "geforce").unwrap_err(),
        "adapter \"geforce\" matches each of these; give more of the name, or the number:\n  \
         2: GeForce 1 (Vulkan, discrete)\n  3: GeForce 12 (Vulkan, discrete)"
    );
    for missing in ["4", "radeon"] {
        let text = chosen(&list, missing).unwrap_err();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], format!("there is no adapter \"{missing}\"; the adapters are:"));
        assert_eq!(lines.len(), 5);
    }
}

#[test]
fn one_card_behind_two_apis_is_not_ambiguous() {
    let mut list = machine();
    list[3].name = list[2].name.clone();
    assert!(chosen(&list, "geforce").is_err(), "two cards");
    list[3].backend = "DirectX 12";
    assert_eq!(chosen(&list, "geforce"), Ok(2));
    list[3].raw.device = 7;
    assert!(chosen(&list, "geforce").is_err(), "two devices");
}

#[test]
fn webgpu_guarantees_everything_that_is_needed() {
    let limits = wgpu::Limits::default();
    for need in &NEEDS {
        assert!((need.of)(&limits) >= need.least, "{}", need.what);
    }
}
