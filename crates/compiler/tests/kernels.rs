use ctm_compiler::{Language, Options, compile};
use ctm_lang::asm::{Style, disassemble};
#[test]
fn show() {
    for path in ctm_testing::files::files(&ctm_testing::files::root().join("kernels/wgsl"), "wgsl")
    {
        let source = std::fs::read_to_string(&path).unwrap();
        match compile(&source, "k", Language::Wgsl, &Options::default()) {
            Ok(c) => println!(
                "{} {}\n{}",
                path.display(),
                c.image.words.len(),
                disassemble(&c.image, Style::Friendly)
            ),
            Err(e) => println!("{} {e}", path.display()),
        }
    }
}
