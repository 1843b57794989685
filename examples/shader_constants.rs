//! Prints `shaders/constants.wgsl`.

fn main() {
    print!("{}", ctm::engine::gpu::abi::constants::text());
}
