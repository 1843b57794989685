use ctm::check::fuzz::{self, Found, Listener, Options};

use ctm::engine::gpu::{AdapterChoice, Interpreter};
use std::sync::atomic::{AtomicU64, Ordering};
struct L(AtomicU64);
impl Listener for L {
    fn found(&self, f: Found) -> bool {
        println!("{:?}", f.difference);
        let _ = &f.case;
        self.0.fetch_add(1, Ordering::Relaxed) < 2
    }
}
fn main() {
    let gpu =
        Interpreter::open(&AdapterChoice::from_environment()).unwrap_or_else(|e| panic!("{e}"));
    let count = std::env::args().nth(1).map_or(100, |x| x.parse().unwrap());
    let seed = std::env::args().nth(2).map_or(1, |x| x.parse().unwrap());
    let options = Options {
        seed,
        first: 0,
        count,
        strength: None,
        time: None,
    };
    let t = std::time::Instant::now();
    let r = fuzz::run(&options, &[&gpu], &L(AtomicU64::new(0)));
    println!("{:?} {}", t.elapsed(), r.is_ok());
}
