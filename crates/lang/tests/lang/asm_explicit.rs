//! The explicit level: any words, random ones included, survive printing and assembling.

use ctm_base::random::Random;
use ctm_lang::asm::{Style, assemble, disassemble, explicit};
use ctm_lang::program::Image;

/// A fixed sequence of test words; says its seed.
fn random(seed: u64) -> Random {
    println!("seed {seed:#x}");
    Random::new(&[seed])
}

#[test]
fn a_hundred_thousand_random_instructions_survive_the_explicit_level() {
    let mut random = random(0x5eed);
    let mut done = 0;
    while done < 100_000 {
        // Batches of 500 instructions; each type a quarter of them.
        let words: Vec<[u32; 6]> = (0..500)
            .map(|n| {
                let mut words: [u32; 6] = std::array::from_fn(|_| random.bits());
                words[0] = words[0] & !3 | n & 3;
                words
            })
            .collect();
        let source: Vec<String> = words.iter().map(explicit).collect();
        let image = match assemble(&source.join("\n"), "random") {
            Ok(image) => image,
            Err(errors) => panic!("{errors}"),
        };
        for (n, (got, want)) in image.words.iter().zip(&words).enumerate() {
            assert_eq!(got, want, "{}", source[n]);
        }
        assert_eq!(image.words.len(), words.len());
        done += words.len();
    }
    println!("{done} random instructions");
}

#[test]
fn a_disassembled_image_assembles_to_an_equal_image() {
    let mut random = random(7);
    for style in [Style::Explicit, Style::Friendly] {
        for n in 1..40 {
            let words = (0..n).map(|_| std::array::from_fn(|_| random.bits())).collect();
            let image = Image::from_words(words);
            let text = disassemble(&image, style);
            match assemble(&text, "random") {
                Ok(again) => assert_eq!(again, image),
                Err(errors) => panic!("{errors}"),
            }
        }
    }
}
