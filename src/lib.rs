//! An emulator of the Data Parallel Processor of ATI's "Close To the Metal" (CTM, 2006), the first GPU that could be
//! programmed below the graphics API.
//!
//! # The machine
//! A *launch* runs a program once for each point (i, j) of a rectangle, its *domain*.
//! * A program has up to 512 instructions. An arithmetic one does an operation on red, green and blue, and another one on
//!   alpha; the others fetch, branch and loop.
//! * A point has 128 temporary registers of four floats. `r0` starts as (i, j, 0, 0). All points share 256 float,
//!   32 integer and 32 boolean constants.
//! * A point fetches any elements of up to 16 inputs. When its program ends, it writes its own element of up to four
//!   outputs; uncached writes go anywhere. Inputs and outputs are two-dimensional arrays in one address space.
//! * Points run in groups of 64, which share a program counter.
//!
//! In mode `exact`, the default, results are the same bits on every engine and every machine. Faults and statistics are
//! data: parts of the outcome of a launch.
//!
//! # A launch
//! ```
//! use ctm::engine::{Engine, NoProgress, block::Block};
//! use ctm::launch::{Domain, Launch};
//! use ctm::memory::{ArenaKind, ArenaSizes, Format, Memory, Surface, Tiling, read_array};
//! use ctm::{asm, program::Program};
//! use std::sync::Arc;
//!
//! let program = Arc::new(Program::new(asm::assemble("mul o0, r0, 0.5", "half")?)?);
//! let mut memory = Memory::new(&ArenaSizes::default())?;
//! // Rows of 8 floats; one row.
//! let gpu = memory.base(ArenaKind::Gpu);
//! let output = Surface::new(gpu, 8, 1, Tiling::Linear, Format::Float32x1);
//!
//! let mut launch = Launch::new(program, Domain { i0: 0, j0: 0, i1: 3, j1: 0 });
//! launch.outputs[0] = Some(output);
//! launch.statistics = true;
//! let outcome = Block::new().run(&launch, &mut memory, &NoProgress)?;
//! assert!(outcome.faults.is_empty());
//! assert_eq!(outcome.statistics.map(|counts| counts.lane_instructions), Some(4));
//!
//! let values = read_array(&memory, &output, 4, 1)?;
//! assert_eq!(values, [0.0, 0.5, 1.0, 1.5].map(f32::to_bits));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Many launches
//! [`engine::run_many`] runs the launches of an iterator as batches, on all cores or on a GPU. Their programs may all
//! differ. Results come in order and errors are values, in bounded memory.
//! ```
//! use ctm::engine::{Stop, block::Block, run_many};
//! use ctm::launch::{Domain, Launch};
//! use ctm::memory::{ArenaKind, ArenaSizes, Format, Memory, Surface, Tiling, read_array};
//! use ctm::{asm, program::Program};
//! use std::{error::Error, sync::Arc};
//!
//! let output = |memory: &Memory| {
//!     Surface::new(memory.base(ArenaKind::Gpu), 8, 1, Tiling::Linear, Format::Float32x1)
//! };
//! let launch = |n: u32| -> Result<(Launch, Memory), Box<dyn Error>> {
//!     let program = Program::new(asm::assemble(&format!("mul o0, r0, {n}.0"), "scale")?)?;
//!     let memory = Memory::new(&ArenaSizes { gpu: 2048, gpub: 0, sys: 0, sysc: 0 })?;
//!     let mut launch = Launch::new(Arc::new(program), Domain { i0: 0, j0: 0, i1: 3, j1: 0 });
//!     launch.outputs[0] = Some(output(&memory));
//!     Ok((launch, memory))
//! };
//! let launches = (0..5).map(launch).collect::<Result<Vec<_>, _>>()?;
//!
//! let engine = Block::new();
//! for (n, result) in (0u8..).zip(run_many(&engine, launches, Stop::never())) {
//!     let (outcome, memory) = result?;
//!     assert!(outcome.faults.is_empty());
//!     let values = read_array(&memory, &output(&memory), 4, 1)?;
//!     assert_eq!(values, [0, n, 2 * n, 3 * n].map(|value| f32::from(value).to_bits()));
//! }
//! # Ok::<(), Box<dyn Error>>(())
//! ```
//!
//! # A device
//! [`device::Device`] works as the original driver does: everything is in its memory, and command buffers refer to it.
//! `examples/embed.rs` runs one program in both ways.
//! ```
//! use ctm::command::{Builder, Layout, SurfaceFormat};
//! use ctm::device::{Device, DeviceConfig};
//! use ctm::launch::Domain;
//! use ctm::memory::{ArenaKind, Format, Tiling, read_array};
//! use ctm::{asm, elf, engine::block::Block};
//! use std::sync::Arc;
//!
//! let device = Device::open(DeviceConfig::new(Arc::new(Block::new())))?;
//! let code = device.base(ArenaKind::Gpu);
//! device.write_memory(code, &elf::write(&asm::assemble("mul o0, r0, 0.5", "half")?))?;
//! let layout = Layout { pitch: 8, tiling: Tiling::Linear, format: Format::Float32x1 };
//! let output = SurfaceFormat { address: code + 4096, layout, height: 1 };
//!
//! let mut commands = Builder::new();
//! commands
//!     .append_set_inst_fmt(code)?
//!     .append_inv_inst_cache()
//!     .append_set_out_fmt(0, output)?
//!     .append_set_domain(Domain { i0: 0, j0: 0, i1: 3, j1: 0 })?
//!     .append_start_program()
//!     .append_flush_out_cache();
//! let id = device.submit_words(commands.into_words());
//! let report = device.wait(id)?;
//! assert!(report.error.is_none());
//!
//! let values = device.with_memory(|memory| read_array(memory, &output.surface(), 4, 1))?;
//! assert_eq!(values, [0.0, 0.5, 1.0, 1.5].map(f32::to_bits));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A job on an engine
//! A job file names the program, the points, the data and the expected results; `docs/jobs.md` has its keys.
//! [`engine::open`] opens an engine by its name: `auto` takes a GPU for large launches, if there is one.
//! ```
//! use ctm::engine::{NoProgress, open};
//! use ctm::job::{Job, RunOptions};
//! use std::path::Path;
//!
//! let job = Job::read(Path::new("kernels/saxpy/saxpy.toml"))?;
//! for name in ["reference", "block"] {
//!     let engine = open(name, None, |note| eprintln!("{note}"))?;
//!     let result = job.run(&*engine, &RunOptions::default(), &NoProgress)?;
//!     assert_eq!((result.engine, result.points), (name, 1024));
//!     // Whether the output has the bits of `expected.npy`.
//!     assert!(job.check(&result)?.iter().all(|check| check.passed));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # GLSL
//! The module `compiler` gives the same kind of program as the assembler. Uniforms become channels of constants; a job
//! gives them values by name.
//! ```
//! # #[cfg(feature = "compiler")] {
//! use ctm::asm;
//! use ctm::compiler::{Language, Options, compile};
//!
//! let source = "uniform float a; void main() { gl_FragColor = vec4(a * gl_FragCoord.xy, 0.0, 1.0); }";
//! let image = compile(source, "scale.frag", Language::Glsl, &Options::default())?.image;
//! assert_eq!(asm::line(&image.words[0], None), "mul o0, r0.rg01, c0.aa11 @wait");
//!
//! let interface = image.interface.ok_or("a shader has an interface")?;
//! assert_eq!(interface.uniforms[0].name, "a");
//! assert_eq!((interface.constants[0].addr, interface.constants[0].channel), (0, 3));
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//! | feature | what it adds | what it needs |
//! | --- | --- | --- |
//! | `command` | the command `ctm`; nothing to the library | clap and others |
//! | `screen` | the screen of `ctm debug` | ratatui |
//! | `compiler` | the modules `compiler`, `explain`, `shaders`; jobs that name shaders | naga |
//! | `gpu` | the engines `interpreter`, `translated` and `gpu`, and a GPU for `auto` | wgpu, naga |
//!
//! All are on by default. A library that embeds the machine takes `default-features = false` and the ones it needs.
//! Without any, there are the engines `reference` and `block` (`auto` is `block`), assembler, ps_3_0, executables,
//! devices, jobs, recordings, tools and the C interface, and neither wgpu nor naga is built.
//!
//! The modules come from the crates of the workspace, which form floors (`docs/architecture.md`). Crate organisation
//! is an implementation detail; depend on `ctm`.

#[doc(inline)]
pub use ctm_base::{files, panics, random, text};
/// Compiles GLSL and WGSL shaders to programs.
#[cfg(feature = "compiler")]
#[doc(inline)]
pub use ctm_compiler as compiler;
#[doc(inline)]
pub use ctm_engine as engine;
#[doc(inline)]
pub use ctm_fuzz::crosscheck;
#[cfg(feature = "compiler")]
#[doc(inline)]
pub use ctm_fuzz::shaders;
#[doc(inline)]
pub use ctm_inspect::{check, debug, profile};
#[doc(inline)]
pub use ctm_isa::{float, isa, ops};
#[doc(inline)]
pub use ctm_jobs::{array, job, load, sweep};
#[doc(inline)]
pub use ctm_lang::{asm, elf, program, ps, raw};
#[doc(inline)]
pub use ctm_machine::{command, device, launch, lower, memory, record};
#[cfg(feature = "compiler")]
#[doc(inline)]
pub use ctm_tools::explain;
#[doc(inline)]
pub use ctm_tools::{bench, card, facts, mesa, prove, tracing, witness};

// A page has no C library to share memory with.
#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
pub mod capi;
