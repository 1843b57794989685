//! Optimized programs of ps_3_0. `lower` makes the graph of a shader's steps; steps that it cannot express keep the shader
//! line by line.

mod lower;

use crate::{Compiled, Forms, Level};
use ctm_base::stop::Stop;
use ctm_base::text::{Diagnostic, Span, TextErrors};
use ctm_base::work::Work;
use ctm_codegen::explain::{Explanation, Pass, explain};
use ctm_codegen::lines::Lines;
use ctm_codegen::{emit, explain, locations, search};
use ctm_lang::program::Image;
use ctm_lang::ps;
use lower::Lowering;
use std::collections::BTreeMap;

/// A shader's program.
struct Shader {
    image: Image,
    /// Its forms, or why it is translated line by line.
    forms: Result<Forms, Diagnostic>,
    /// The offsets of its steps.
    steps: Vec<u32>,
}

fn shader(source: &str, name: &str, level: Level, work: &Work<'_>) -> Result<Shader, TextErrors> {
    let kept =
        |span: Span, why: &str| span.error(format!("the shader is translated line by line: {why}"));
    let mut steps = Vec::new();
    let mut why = kept(Span::default(), "no other program is shorter");
    let (image, forms) = ps::compile_with(source, name, |expansion| {
        steps = expansion.steps.iter().map(|located| located.span.start as u32).collect();
        let long = match level {
            Level::Unoptimized => {
                why = kept(Span::default(), "-O0 optimizes nothing");
                return None;
            }
            Level::Usual => false,
            Level::Search => true,
        };
        let ir = work.timed("lower", || Lowering::of(expansion).lower());
        let made = ir.map_err(|span| kept(span, "the optimizer has no form of this"));
        let made = made.and_then(|ir| {
            let exceeded = |exceeded| crate::attempts::too_large(source, &exceeded);
            let schedule = search::best(&ir, long, work).map_err(exceeded)?;
            let image = work.timed("emit", || emit::emit(&ir, &schedule, name, source, false));
            let mut image = image.map_err(exceeded)?;
            image.source.set_variables(locations::variables(&ir, &schedule, &image, source));
            Ok((image, Forms { ir, plain: None, schedule }))
        });
        made.map_err(|error| why = error).ok()
    })?;
    Ok(Shader { image, forms: forms.ok_or(why), steps })
}

/// The forms of a shader's program: see [`crate::forms`].
pub(super) fn forms(
    source: &str,
    name: &str,
    level: Level,
    stop: &Stop,
) -> Result<Forms, TextErrors> {
    let shader = shader(source, name, level, &Work::new(stop))?;
    TextErrors::of(source, name, |_| shader.forms.map_err(|why| vec![why]))
}

/// Compiles a shader. The results are those of [`ps::compile`], bit for bit; of the two programs the shorter one is taken.
pub(super) fn compiled(
    source: &str,
    name: &str,
    level: Level,
    stop: &Stop,
) -> Result<Compiled, TextErrors> {
    let work = Work::new(stop);
    let Shader { image, forms, steps } = shader(source, name, level, &work)?;
    let (nodes, explanation) = match forms {
        Ok(Forms { ir, schedule, .. }) => {
            (ir.graph.size(), explain(&ir.graph, &schedule, &image, source))
        }
        Err(_) => (0, line_by_line(&image, &steps, source)),
    };
    let (work, times) = (work.done(), work.times());
    Ok(Compiled { image, notes: Vec::new(), nodes, work, times, explanation })
}

/// The report on a shader that is translated line by line.
fn line_by_line(image: &Image, steps: &[u32], source: &str) -> Explanation {
    let lines = Lines::of(source);
    let mut written = BTreeMap::new();
    for line in steps.iter().filter_map(|step| lines.line(*step)) {
        *written.entry(line).or_insert(0) += 1;
    }
    let (before, after) = (steps.len(), image.words.len());
    let about = "RGB and alpha units work in one instruction";
    let passes = vec![Pass { name: "pairing", about, before, after }];
    Explanation { version: None, passes, written, lines: explain::lines(image) }
}
