//! A compiled shader at one point, for values of its uniforms.

use ctm_compiler::{Language, Options, compile};
use ctm_jobs::job::{Job, RunOptions};
use ctm_lang::elf;
use ctm_lang::program::interface::{Interface, Scalar};
use ctm_machine::engine::Stop;
use ctm_machine::engine::block::Block;
use std::sync::Arc;

/// A shader that runs.
pub struct Shader {
    job: Job,
    /// Its inputs and outputs.
    pub interface: Arc<Interface>,
}

impl Shader {
    /// Compiles a source, or says why not.
    pub fn new(source: &str, language: Language, options: &Options) -> Result<Shader, String> {
        let compiled = compile(source, "test", language, options);
        let image = compiled.map_err(|error| error.to_string())?.image;
        let interface = image.interface.clone().ok_or("no interface")?;
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let file = folder.path().join("test.elf");
        std::fs::write(file, elf::write(&image)).map_err(|error| error.to_string())?;
        let mut job = "version = 1\n[program]\nfile = \"test.elf\"\n[domain]\ni0 = 0\nj0 = 0\ni1 = 0\nj1 = 0\n"
            .to_string();
        for output in &interface.outputs {
            job += &format!("[[output]]\nslot = {}\nformat = \"FLOAT32_4\"\n", output.slot);
        }
        let job = Job::parse(&job, &folder.path().join("test.toml"));
        let job = job.map_err(|error| error.to_string())?;
        Ok(Shader { job, interface })
    }

    /// The four channels of each output, for the values of the uniforms: by name, component after component.
    pub fn run(&mut self, uniforms: &dyn Fn(&str, usize) -> f32) -> Vec<[f32; 4]> {
        for pass in &mut self.job.passes {
            let held = Arc::make_mut(&mut pass.constants);
            for one in &self.interface.constants {
                let Scalar::Uniform(n, component) = one.scalar else { continue };
                let value = uniforms(&self.interface.uniforms[n].name, component);
                held.float[one.addr as usize][one.channel as usize] = value.to_bits();
            }
        }
        let result = self.job.run(&Block::default(), &RunOptions::default(), &Stop::default());
        let result = result.unwrap_or_else(|error| panic!("{error}"));
        (0..self.interface.outputs.len())
            .map(|n| {
                let raster = result.raster(n).expect("an output");
                [0, 1, 2, 3].map(|channel| f32::from_bits(raster.units[channel]))
            })
            .collect()
    }
}

/// The first output of GLSL with `uniform vec4 a`, for values of `a`.
pub fn glsl(body: &str, options: &Options) -> impl FnMut([f32; 4]) -> [f32; 4] + use<> {
    let source = format!("uniform vec4 a;\n{body}");
    let shader = Shader::new(&source, Language::Glsl, options);
    let mut shader = shader.unwrap_or_else(|error| panic!("{source}\n{error}"));
    move |a| shader.run(&|_, component| a[component])[0]
}
