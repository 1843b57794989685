//! `ctm.check`.

use crate::arguments::{Arguments, Call};
use crate::error::{Fail, caught};
use crate::given;
use crate::job::Job;
use crate::program::Program;
use crate::watched::watched;
use ctm::check::dynamic::{self, Options};
use ctm::check::statics::{self, Bound as Surfaces};
use ctm::check::{self as checks, Findings, allow};
use ctm::engine::{Checked, LaunchError};
use ctm::job::{RunOptions, SharedFiles};
use ctm::launch::Domain;
use ctm::program::Image;
use pyo3::prelude::*;
use std::num::NonZeroU64;

/// Something that looks like a mistake in a program or in a run.
#[pyclass(frozen, get_all, module = "ctm")]
pub struct Finding {
    /// Its kind, such as "uninitialised".
    code: &'static str,
    /// "error", "warning" or "note".
    severity: &'static str,
    /// The mistake, in a sentence.
    message: String,
    /// A way to fix it.
    help: Option<String>,
    /// The pass of the job, from 0.
    pass_number: usize,
    /// The instruction.
    pc: Option<u32>,
    /// The file and the line of its statement.
    file: Option<String>,
    line: Option<u32>,
    /// The column of its first character, from 1, and the one after its last, if it is about the source.
    column: Option<u32>,
    end: Option<u32>,
    /// The first point, (i, j), if it was found in a run.
    point: Option<(u32, u32)>,
    /// The number of times that it happened; 1 without a run.
    count: u64,
}

#[pymethods]
impl Finding {
    fn __repr__(&self) -> String {
        let place = self.pc.map(|pc| format!(" at pc {pc}")).unwrap_or_default();
        format!("<ctm.Finding {}{place}: {}>", self.code, self.message)
    }
}

impl Finding {
    fn of(finding: checks::Finding, image: Option<&Image>) -> Finding {
        let place = image.zip(finding.pc).and_then(|(image, pc)| image.location(pc));
        let source = || {
            finding.mark?;
            Some(image?.source.get()?.files.first()?.path.clone())
        };
        Finding {
            code: finding.code.name(),
            severity: finding.code.severity().name(),
            message: finding.message,
            help: finding.help,
            pass_number: finding.pass,
            pc: finding.pc,
            file: place.map(|place| place.file.path.clone()).or_else(source),
            line: place.map(|place| place.line).or(finding.mark.map(|mark| mark.line)),
            column: place.map(|place| place.column).or(finding.mark.map(|mark| mark.column)),
            end: finding.mark.map(|mark| mark.end),
            point: finding.first,
            count: finding.count,
        }
    }
}

/// Look for mistakes, as `ctm check` does: run on the CPU and check every point.
///
/// Args:
///     subject: a `Job`, the path of a job file, or a `Program`.
///     domain, outputs, inputs, constants: of a program, the arguments of its run. Without a domain only
///         the program itself is looked at.
///     uniforms, varyings: values of a shader, as in `Program.run`.
///     mode: "exact", "fast" or "chip".
///     limit: the instructions that a group may run.
///     points: how many points to look at; the others run unobserved. Default: all.
///
/// Returns: a list of `Finding`.
///
/// >>> program = ctm.Program("add o0, r0, r5")
/// >>> [finding.code for finding in ctm.check(program, (0, 0, 7, 7), outputs={0: "FLOAT32_4"})]
/// ['uninitialised']
#[pyfunction]
#[pyo3(signature = (subject, domain=None, *, outputs=None, inputs=None, constants=None, uniforms=None, varyings=None, mode=None, limit=None, points=None))]
#[allow(clippy::too_many_arguments, reason = "keywords")]
pub fn check(
    py: Python<'_>,
    subject: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = given::own_domain)] domain: Option<Domain>,
    outputs: Option<&Bound<'_, PyAny>>,
    inputs: Option<&Bound<'_, PyAny>>,
    constants: Option<&Bound<'_, PyAny>>,
    uniforms: Option<&Bound<'_, PyAny>>,
    varyings: Option<&Bound<'_, PyAny>>,
    #[pyo3(from_py_with = given::own_mode)] mode: Option<String>,
    #[pyo3(from_py_with = given::limit)] limit: Option<NonZeroU64>,
    #[pyo3(from_py_with = given::points)] points: Option<u64>,
) -> PyResult<Vec<Finding>> {
    caught(|| {
        let mode_name = mode.as_deref().unwrap_or("exact");
        let mode = mode.as_deref().map(crate::arguments::mode).transpose()?;
        let instructions = limit.map(NonZeroU64::get);
        let run = RunOptions { mode, instructions, statistics: false };
        let options = Options { points, run, ..Options::default() };
        let Ok(program) = subject.cast::<Program>() else {
            let own = [outputs, inputs, constants, uniforms, varyings].iter().any(Option::is_some);
            if domain.is_some() || own {
                let text = "a job has its own domain, inputs, outputs and constants";
                return Err(Fail::of_key("subject", text).into());
            }
            return match subject.cast::<Job>() {
                Ok(job) => of_job(py, job.get().job(), &options),
                Err(_) => {
                    let path = given::subject("subject", subject)?;
                    let read = watched(py, None, |stop, _| {
                        ctm::job::Job::read_shared(&path, &SharedFiles::new(), stop)
                    });
                    let job = read?.map_err(Fail::from)?;
                    of_job(py, &job, &options)
                }
            };
        };
        let program = program.get();
        let Some(domain) = domain else {
            let found = watched(py, None, |stop, _| statics::run(program.verified(), None, stop))?;
            return Ok(listed(found.map_err(Fail::from)?, |_| Some(program.verified())));
        };
        let outputs = outputs.ok_or_else(|| Fail::of_key("outputs", "a run needs them"))?;
        let mode = mode_name;
        let (stats, many) = (false, false);
        let call = Call {
            domain,
            inputs,
            outputs,
            constants,
            uniforms,
            varyings,
            mode,
            stats,
            limit,
            many,
        };
        let arguments = Arguments::of(program.verified(), &call)?;
        let mut memory = arguments.memory().map_err(Fail::from)?;
        let launch = &arguments.launch;
        let failed = |error: LaunchError| Fail::of_launch("", &error, program.image());
        let checked = Checked::new(launch).map_err(failed)?;
        let channels = launch.outputs.iter().zip(0..).filter_map(|(surface, slot)| {
            surface.map(|surface| (slot, (1 << surface.format.channels()) - 1))
        });
        let surfaces = Surfaces { outputs: channels.collect(), read_back: 0 };
        let found = watched(py, None, |stop, _| {
            let findings = statics::run(program.verified(), Some(&surfaces), stop)?;
            let (found, _) = dynamic::check_launch(&checked, &mut memory, &options, stop)?;
            Ok((findings, found))
        })?;
        let (mut findings, found) = found.map_err(failed)?;
        findings.add_run(found.findings, |_, _| true);
        Ok(listed(findings, |_| Some(program.verified())))
    })
}

fn of_job(py: Python<'_>, job: &ctm::job::Job, options: &Options) -> PyResult<Vec<Finding>> {
    let found = watched(py, None, |stop, _| statics::of_job(job, stop))?;
    let mut findings = found.map_err(Fail::from)?;
    let found = watched(py, None, |stop, _| dynamic::check_job(job, options, stop))?;
    let found = found.map_err(Fail::from)?;
    findings.add_run(found.findings, |a, b| dynamic::of_one_program(job, a, b));
    Ok(listed(findings, |finding| Some(&*job.passes.get(finding.pass)?.program)))
}

/// The findings that the source does not allow. `program` is the program of a finding.
fn listed<'p>(
    findings: Findings,
    program: impl Fn(&checks::Finding) -> Option<&'p ctm::program::Program>,
) -> Vec<Finding> {
    let of = |finding: checks::Finding| {
        let program = program(&finding);
        let allowed = program.is_some_and(|program| allow::allows(program, &finding));
        (!allowed).then(|| Finding::of(finding, program.map(ctm::program::Program::image)))
    };
    findings.into_iter().filter_map(of).collect()
}
