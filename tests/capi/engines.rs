//! The engines that the C interface offers.

/// Those that run on the CPU alone, or those that take an adapter.
pub fn engines(on_gpu: bool) -> impl Iterator<Item = &'static str> {
    let is_cpu = |engine: &str| ["reference", "block"].contains(&engine);
    let all = ctm::capi::ENGINES.into_iter();
    all.filter(move |engine| is_cpu(engine) != on_gpu)
}
