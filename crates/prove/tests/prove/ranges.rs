//! Every value of every term of generated programs is in its range.

use ctm_base::random::Random;
use ctm_base::stop::Stop;
use ctm_fuzz::crosscheck::generate::{Strength, generate};
use ctm_machine::launch::Launch;
use ctm_prove::evaluate::{POINTS, Sample, Values};
use ctm_prove::ranges::{Bounds, Range, Ranges, Texels, Within};
use ctm_prove::term::Terms;
use ctm_prove::{Float, Set, Setup, Start, execute};
use std::ops;

/// The surroundings of a generated program: its constants, half of them unknown, and start values.
fn setup(launch: &Launch, random: &mut Random) -> Setup {
    let mut setup = Setup::of(&launch.program);
    for (to, from) in setup.floats.iter_mut().zip(launch.constants.float.iter()) {
        if random.chance(50) {
            *to = from.map(Float::Bits);
        }
    }
    for (to, from) in setup.ints.iter_mut().zip(launch.constants.int.iter()) {
        *to = Some((from.count, from.start, from.step));
    }
    for (n, to) in setup.bools.iter_mut().enumerate() {
        *to = Some(launch.constants.bool >> n & 1 != 0);
    }
    let starts = launch.initial.iter().enumerate();
    setup.start = starts.map(|(n, initial)| (initial.temp, Start::Data(n as u32))).collect();
    setup
}

fn range(random: &mut Random) -> Range {
    let ends = [random.hard(), random.hard()].map(Range::of);
    let usual = [Range::between(0.0, 1.0), Range::between(-1.0, 1.0), Range::between(0.5, 3.0)];
    let usual = random.pick(&usual);
    random.pick(&[Range::ANYTHING, usual, usual, ends[0], ends[0].or(ends[1])])
}

fn bounds(random: &mut Random) -> Bounds {
    let mut bounds = Bounds::default();
    let mut four = || std::array::from_fn(|_| range(random));
    for n in 0..4 {
        bounds.data.insert(n, four());
    }
    for n in 0..=255 {
        bounds.constants.insert(n, four());
    }
    for n in 0..8 {
        bounds.surfaces.insert(n, Texels { channels: four(), size: [64; 2] });
    }
    bounds
}

/// Checks some programs. The number that have terms, and of values.
fn check(seeds: ops::Range<u64>) -> (usize, usize) {
    let (mut programs, mut checked) = (0, 0);
    for index in seeds {
        let strength = match index % 11 {
            10 => Strength::Numeric,
            n => Strength::of_index(n),
        };
        let launch = generate(54, strength, index).launch;
        let mut random = Random::new(&[54, index]);
        let setup = setup(&launch, &mut random);
        let set = if index % 4 == 3 { Set::Values } else { Set::Bits };
        let mut terms = Terms::new(set, 20_000);
        if execute(&mut terms, &launch.program, &setup, Stop::never()).is_err() || terms.is_spent()
        {
            continue;
        }
        programs += 1;
        let bounds = bounds(&mut random);
        let ranges = Ranges::new(&terms, &bounds, Stop::never()).unwrap();
        let sample = Sample { seed: index, hard: index % 2 == 0 };
        let inputs = Within { inputs: sample, bounds: &bounds };
        let mut values = Values::new(&terms, &inputs, 64 / POINTS);
        for id in terms.ids() {
            let range = ranges.of(id);
            for value in values.of(id) {
                checked += 1;
                let held = value.bits.is_none_or(|bits| range.contains(bits));
                assert!(
                    held,
                    "program {index}: {:08x?} is not in {range}: {}",
                    value.bits,
                    terms.text(id, 8)
                );
            }
        }
    }
    (programs, checked)
}

/// 100,000 programs with terms: `CTM_FULL=1`.
#[test]
fn every_value_of_generated_programs_is_in_its_range() {
    let full = std::env::var_os("CTM_FULL").is_some();
    let (tries, least) = if full { (140_000, 100_000) } else { (2500, 2000) };
    let (programs, values) = check(0..tries);
    println!("{programs} programs, {values} values");
    assert!(programs >= least, "{programs}");
}
