use ctm::engine::gpu::{AdapterChoice, Gpu, shader::*, encode::Uses, record::MemoryVariant};
use std::time::Instant;
fn main() {
    let gpu = Gpu::open(&AdapterChoice::from_environment()).unwrap_or_else(|e| panic!("{e}"));
    let all = Variant::everything();
    let none = Variant { uses: Uses::default(), memory: MemoryVariant::default(), conditions: false, starts: false, statistics: false, sliced: false, ..all };
    let list = [
        ("none", none),
        ("flows", Variant { uses: Uses { flows: true, ..none.uses }, ..none }),
        ("sliced", Variant { uses: Uses { flows: true, ..none.uses }, sliced: true, ..none }),
        ("stats", Variant { statistics: true, ..none }),
        ("math", Variant { uses: Uses { math: true, ..none.uses }, ..none }),
        ("sums", Variant { uses: Uses { sums: true, ..none.uses }, ..none }),
        ("fetches", Variant { uses: Uses { fetches: true, ..none.uses }, ..none }),
        ("fetches4", Variant { uses: Uses { fetches: true, ..none.uses }, memory: MemoryVariant { read_words: 4, write_words: 4, ..none.memory }, ..none }),
        ("fetchesall", Variant { uses: Uses { fetches: true, ..none.uses }, memory: MemoryVariant { windows: 1, ..MemoryVariant::ALL }, ..none }),
        ("uncached", Variant { uses: Uses { uncached: true, ..none.uses }, ..none }),
        ("cond", Variant { conditions: true, ..none }),
        ("starts", Variant { starts: true, ..none }),
        ("flowsS", Variant { shared_stacks: true, uses: Uses { flows: true, ..none.uses }, ..none }),
        ("slicedS", Variant { shared_stacks: true, uses: Uses { flows: true, ..none.uses }, sliced: true, ..none }),
        ("noneS", Variant { shared_stacks: true, ..none }),
        ("noneB", Variant { shared_stacks: true, storage: Storage::Buffer, rows:2048, ..none }),
        ("allS", Variant { shared_stacks: true, memory: MemoryVariant { windows: 1, ..MemoryVariant::ALL }, ..all }),
        ("allB", Variant { shared_stacks: true, storage: Storage::Buffer, rows:2048, memory: MemoryVariant { windows: 1, ..MemoryVariant::ALL }, ..all }),
        ("rows32", Variant { rows: 32, ..none }),
        ("rows256", Variant { rows: 256, ..none }),
        ("all1", Variant { memory: MemoryVariant { windows: 1, ..MemoryVariant::ALL }, sliced: false, statistics: false, ..all }),
        ("all", all),
    ];
    let only = std::env::args().nth(1);
    for (name, v) in list {
        if only.as_ref().is_some_and(|o| o != name) { continue; }
        let t = Instant::now();
        let p = ctm::engine::gpu::try_compile(&gpu, &v);
        let a = t.elapsed();
        let b = ctm::engine::gpu::try_dispatch(&gpu, &p);
        println!("{name}: naga {a:?} first dispatch {b:?}");
    }
}
