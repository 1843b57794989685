use ctm_machine::engine::block::Block;
use ctm_tools::shaders::fuzz::*;
struct F(parking_lot::Mutex<Vec<Found>>, usize);
impl Listener for F {
    fn found(&self, f: Found) -> bool {
        let mut v = self.0.lock();
        v.push(f);
        v.len() < self.1
    }
    fn progress(&self, n: u64) {
        if n % 1000 == 0 {
            eprintln!("{n}");
        }
    }
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let o = Options {
        seed: a[1].parse().unwrap(),
        first: a[2].parse().unwrap(),
        count: a[3].parse().unwrap(),
        precise: a[4] == "p",
        time: None,
    };
    let f = F(Default::default(), a[5].parse().unwrap());
    let e = Block::default();
    if a.len() > 6 {
        let mut src = vec![];
        for p in std::fs::read_to_string(&a[6]).unwrap().lines() {
            let t = String::from_utf8_lossy(&std::fs::read(p).unwrap()).into_owned();
            src.push((
                t,
                if p.ends_with("wgsl") {
                    ctm_compiler::Language::Wgsl
                } else {
                    ctm_compiler::Language::Glsl
                },
            ));
        }
        println!("{}", run_mutated(&o, &src, &f).text());
        for x in f.0.into_inner() {
            println!("== {} {}", x.index, x.finding);
            std::fs::write(format!("/tmp/fuzzc/mut-{}.frag", x.index), x.source).unwrap();
        }
        return;
    }
    let c = run(&o, &compile, &e, &f);
    println!("{}", c.text());
    for x in f.0.into_inner() {
        let (s, g) = reduced(&x, &o, &compile, &e);
        println!("== {} {}\n{}\n{}", x.index, x.finding, g, s);
    }
}
