//! Prints `shaders/constants.wgsl`.

fn main() {
    print!("{}", ctm::engine::gpu::constants::text());
}
