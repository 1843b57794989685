//! Adapters and what happens when one fails. See `common` for when these tests run.

use ctm::engine::gpu::device::cache::{Cache, Kept};
use ctm::engine::gpu::{AdapterChoice, Adapters, Gpu, GpuError};
use serde_json::Value;
use std::process::Command;
use wgpu::BufferUsages;

/// The adapter that the tests are to use.
fn open() -> Gpu {
    Gpu::open(&AdapterChoice::from_environment()).unwrap_or_else(|error| panic!("{error}"))
}

fn lost() -> GpuError {
    GpuError::Lost { adapter: open().info.name, reason: "it was destroyed".into() }
}

#[test]
#[ignore = "needs an adapter"]
fn an_adapter_is_found_by_its_number_and_its_name() {
    let adapters = Adapters::list();
    let chosen = adapters.choose(&AdapterChoice::from_environment()).expect("an adapter");
    for info in adapters.infos() {
        println!("{} {:?}", info.line(), info.missing);
        let index = AdapterChoice::Index(info.index);
        assert_eq!(adapters.choose(&index).unwrap().index, info.index);
    }
    assert!(chosen.missing.is_empty());
    let many = AdapterChoice::parse("4711");
    let text = adapters.choose(&many).unwrap_err().to_string();
    assert!(text.starts_with("there is no adapter \"4711\"; the adapters are:\n  0: "), "{text}");
}

#[test]
#[ignore = "needs an adapter"]
fn errors_of_calls_come_back_from_their_scope() {
    let gpu = open();
    let error = gpu
        .scoped("a copy", |device| {
            let usage = BufferUsages::STORAGE;
            let buffer = device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: 64,
                usage,
                mapped_at_creation: false,
            });
            let mut encoder = device.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(&buffer, 0, &buffer, 32, 16);
            encoder.finish()
        })
        .unwrap_err();
    assert!(matches!(&error, GpuError::Validation { what, .. } if what == "a copy"), "{error:?}");
    let error = gpu
        .scoped("shader \"x\"", |device| {
            device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: None,
                source: wgpu::ShaderSource::Wgsl("fn f() -> u32 { return 1.5; }".into()),
            })
        })
        .map(|_| ())
        .unwrap_err()
        .in_shader();
    let text = error.to_string();
    assert!(matches!(error, GpuError::Shader { .. }), "{text}");
    assert!(text.contains("return 1.5"), "{text}");
    // Nothing is left behind.
    assert_eq!(gpu.check(), Ok(()));
}

#[test]
#[ignore = "needs an adapter"]
fn errors_outside_of_any_scope_are_told_once() {
    let gpu = open();
    let usages = [BufferUsages::COPY_SRC, BufferUsages::empty()];
    for (size, usage) in [3, 8].into_iter().zip(usages) {
        let _ = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage,
            mapped_at_creation: size == 3,
        });
    }
    assert_eq!(
        gpu.check().unwrap_err().to_string(),
        "a call: refused by wgpu: Buffers that are mapped at creation have to be aligned to \
         `COPY_BUFFER_ALIGNMENT`"
    );
    assert_eq!(gpu.check(), Ok(()));
}

#[test]
#[ignore = "needs an adapter"]
fn a_buffer_that_is_too_large_is_named_with_its_size() {
    let gpu = open();
    let largest = gpu.limits.max_storage_buffer_binding_size.min(gpu.limits.max_buffer_size);
    let error = gpu.buffer("arena 3", largest + 4, BufferUsages::STORAGE).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "adapter {}: the largest buffer in bytes, for arena 3, is {largest}, but {} is needed",
            gpu.info.name,
            largest + 4
        )
    );
}

#[test]
#[ignore = "needs an adapter"]
fn a_lost_device_is_an_error_everywhere_and_for_ever() {
    let gpu = open();
    let buffer =
        gpu.buffer("b", 64, BufferUsages::COPY_DST | BufferUsages::MAP_READ).expect("memory");
    gpu.queue.write_buffer(&buffer, 0, &[1; 64]);
    gpu.lose();
    assert_eq!(gpu.check(), Err(lost()));
    assert_eq!(gpu.check(), Err(lost()));
    let usage = BufferUsages::STORAGE;
    assert_eq!(gpu.buffer("c", 64, usage).map(|_| ()), Err(lost()));
    // What callers do without looking first does not panic either.
    gpu.queue.write_buffer(&buffer, 0, &[2; 64]);
    gpu.queue.submit([]);
    let (send, told) = std::sync::mpsc::channel();
    buffer.slice(..).map_async(wgpu::MapMode::Read, move |result| {
        let _ = send.send(result.is_ok());
    });
    assert_eq!(gpu.wait(None), Err(lost()));
    assert_eq!(told.try_recv(), Ok(false));
    assert_eq!(gpu.poll_once().map(|_| ()), Err(lost()));
    assert_eq!(gpu.check(), Err(lost()));
    // Another one can be opened.
    open().wait(None).expect("a living device");
}

/// A loss that wgpu has not reported yet, because nothing polled the device since.
#[test]
#[ignore = "needs an adapter"]
fn calls_that_meet_a_loss_before_it_is_reported_end_with_it() {
    let gpu = open();
    gpu.device.destroy();
    let buffer = gpu.buffer("b", 64, BufferUsages::STORAGE | BufferUsages::COPY_DST);
    let error = buffer.and_then(|buffer| gpu.upload("data", &buffer, 0, &[1; 64]));
    assert_eq!(error, Err(lost()));
}

const SHADER: &str = "
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    data[id.x] = id.x * id.x;
}";

/// Makes a pipeline with the cache and runs it: some drivers compile only then.
fn pipeline(gpu: &Gpu, cache: &Cache) {
    let pipeline = gpu.scoped("a pipeline", |device| {
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(SHADER.into()),
        });
        device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: None,
            compilation_options: Default::default(),
            cache: cache.pipelines(),
        })
    });
    let pipeline = pipeline.unwrap_or_else(|error| panic!("{error}"));
    let make = |usage| gpu.buffer("data", 4 * 64, usage).expect("memory");
    let data = make(BufferUsages::STORAGE | BufferUsages::COPY_SRC);
    let result = make(BufferUsages::MAP_READ | BufferUsages::COPY_DST);
    let submitted = gpu.scoped("a dispatch", |device| {
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: data.as_entire_binding() }],
        });
        let mut encoder = device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
        drop(pass);
        encoder.copy_buffer_to_buffer(&data, 0, &result, 0, 4 * 64);
        gpu.queue.submit([encoder.finish()])
    });
    result.slice(..).map_async(wgpu::MapMode::Read, |mapped| mapped.expect("mapped"));
    gpu.wait(Some(submitted.expect("a good dispatch"))).expect("a living device");
    let bytes = result.slice(..).get_mapped_range().expect("mapped");
    let squares: Vec<u8> = (0..64u32).flat_map(|n| (n * n).to_le_bytes()).collect();
    assert_eq!(bytes[..], squares);
}

#[test]
#[ignore = "needs an adapter"]
fn the_pipeline_cache_is_read_again_and_survives_broken_files() {
    let gpu = open();
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("made/if/missing");
    let cache = Cache::load_from(&gpu, &[SHADER], Some(&inside));
    assert!(!cache.was_read());
    assert_eq!(cache.pipelines().is_some(), gpu.info.pipeline_cache);
    pipeline(&gpu, &cache);
    let written = cache.save();
    let data = cache.pipelines().and_then(wgpu::PipelineCache::get_data);
    let size = data.map(|data| data.len());
    println!("the driver's data: {size:?} bytes, written: {written}");
    let Some(file) = cache.file().filter(|_| written) else {
        // This driver keeps nothing, which an empty list of pipelines shows: wgpu's own header
        // and Vulkan's. Then there must be no file either.
        assert!(size.is_none_or(|size| size <= 64 + 32), "{size:?}");
        assert!(!cache.file().is_some_and(|file| file.exists()));
        return;
    };
    let again = Cache::load_from(&gpu, &[SHADER], Some(&inside));
    assert!(again.was_read());
    pipeline(&gpu, &again);
    let other = Cache::load_from(&gpu, &["other"], Some(&inside));
    assert!(!other.was_read(), "another source is another file");
    for junk in [Vec::new(), vec![7; 1000], {
        let mut bytes = std::fs::read(file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        bytes
    }] {
        std::fs::write(file, junk).unwrap();
        let cache = Cache::load_from(&gpu, &[SHADER], Some(&inside));
        assert!(!cache.was_read());
        pipeline(&gpu, &cache);
        assert!(cache.save(), "replaced");
        assert!(Cache::load_from(&gpu, &[SHADER], Some(&inside)).was_read());
    }
}

#[test]
#[ignore = "needs an adapter"]
fn without_a_folder_nothing_is_kept() {
    let gpu = open();
    let cache = Cache::load_from(&gpu, &[SHADER], None);
    pipeline(&gpu, &cache);
    assert!(!cache.was_read() && !cache.save() && cache.file().is_none());
}

/// Runs the command on the adapter of these tests, or with another value of `CTM_ADAPTER`.
fn ctm(args: &[&str], adapter: Option<&str>) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ctm"));
    command.args(args);
    if let Some(adapter) = adapter {
        command.env("CTM_ADAPTER", adapter);
    }
    let output = command.output().expect("ctm starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("no signal"), text(output.stdout), text(output.stderr))
}

#[test]
#[ignore = "needs an adapter"]
fn info_lists_adapters_as_text_and_as_json() {
    let gpu = open();
    let (status, text, err) = ctm(&["info", "--adapters"], None);
    assert_eq!((status, err.as_str()), (0, ""));
    let line = format!("{}\n  driver ", gpu.info.line());
    assert!(text.contains(&line), "{text}");
    let auto = format!(
        "--engine auto: adapter {}, {}, for large launches: ",
        gpu.info.index, gpu.info.name
    );
    assert!(text.contains(&auto), "{text}");

    let (status, json, err) = ctm(&["info", "--adapters", "--json"], None);
    assert_eq!((status, err.as_str()), (0, ""));
    let object: Value = serde_json::from_str(&json).expect("JSON");
    let keys: Vec<&String> = object.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["adapters", "auto", "pipeline_cache"]);
    let adapter = &object["adapters"][gpu.info.index];
    assert_eq!(adapter["name"], gpu.info.name);
    assert_eq!(adapter["kind"], gpu.info.kind.name());
    assert_eq!(adapter["usable"], true);
    assert_eq!(adapter["missing"], serde_json::json!([]));
    assert_eq!(adapter["limits"]["buffer_bytes"], gpu.limits.max_buffer_size);
    assert_eq!(object["auto"]["adapter"], gpu.info.index);
    assert_eq!(object["auto"]["error"], false);

    // What it says about pipelines is what becomes of one.
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::load_from(&gpu, &[SHADER], Some(folder.path()));
    pipeline(&gpu, &cache);
    let kept = cache.save();
    assert_eq!(adapter["pipeline_cache"], kept);
    let own = text.split(&line).nth(1).expect("the adapter");
    let said = own.lines().find(|line| line.starts_with("  pipelines "));
    assert_eq!(
        said.expect("a line"),
        if kept {
            "  pipelines   can be kept on disk"
        } else {
            "  pipelines   cannot be kept on disk: the driver gives nothing to keep"
        }
    );
}

#[test]
#[ignore = "needs an adapter"]
fn info_says_what_is_wrong_with_the_variable() {
    let (status, text, err) = ctm(&["info", "--adapters"], Some("no such thing"));
    assert_eq!((status, err.as_str()), (0, ""));
    let line = "--engine auto: an error: CTM_ADAPTER: there is no adapter \"no such thing\"; the \
                adapters are:\n  0: ";
    assert!(text.contains(line), "{text}");
}

#[test]
#[ignore = "needs an adapter"]
fn an_adapter_that_is_named_must_be_there() {
    let job = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/saxpy/saxpy.toml");
    let start = "ctm: there is no adapter \"magic\"; the adapters are:\n  0: ";
    for args in [
        &["run", job, "--no-save"][..],
        &["run", job, "--no-save", "--engine", "gpu"],
        &["verify", job],
        &["crosscheck", job],
        &["fuzz", "--count", "1"],
        &["bench", "copy-linear"],
    ] {
        let (status, out, err) = ctm(args, Some("magic"));
        assert_eq!((status, out.as_str()), (2, ""), "{args:?}");
        assert!(err.starts_with(start), "{args:?}: {err}");
        // The option wins.
        let args = [args, &["--adapter", "MAGIC"]].concat();
        let (_, _, err) = ctm(&args, None);
        assert!(err.starts_with(&start.replace("magic", "MAGIC")), "{err}");
    }
    // Engines of the CPU look at neither.
    for more in [&["--engine", "block"][..], &["--engine", "reference"], &["--trace", "1,1"]] {
        let args = [&["run", job, "--no-save", "--adapter", "magic"], more].concat();
        assert_eq!(ctm(&args, Some("magic")).0, 0, "{args:?}");
    }
    let args = ["crosscheck", job, "--engine", "reference,block", "--adapter", "magic"];
    assert_eq!(ctm(&args, None).0, 0);
}

#[test]
#[ignore = "needs an adapter"]
fn a_run_names_the_engine_and_the_adapter() {
    let gpu = open();
    let job = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/saxpy/saxpy.toml");
    let adapter = gpu.info.index.to_string();
    for (engine, name) in
        [("gpu", "gpu"), ("interpreter", "interpreter"), ("translated", "translated")]
    {
        let args = ["run", job, "--no-save", "--json", "--engine", engine, "--adapter", &adapter];
        let (status, out, err) = ctm(&args, Some("magic"));
        assert_eq!(status, 0, "{err}");
        let object: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!(object["engine"], name);
        assert_eq!(object["adapter"], gpu.info.name);
        let ran = object["ran"].as_array().map(|ran| ran.len());
        assert_eq!(ran, (engine != "interpreter").then_some(1), "{object}");
    }
}

#[test]
#[ignore = "needs an adapter"]
fn auto_leaves_small_launches_to_the_cpu_and_says_why() {
    let gpu = open();
    let adapter = gpu.info.index.to_string();
    let run = |job: &str, more: &[&str]| {
        let job = format!("{}/{job}", env!("CARGO_MANIFEST_DIR"));
        let args = [&["run", &job, "--no-save", "--adapter", &adapter], more].concat();
        let (status, out, err) = ctm(&args, None);
        assert_eq!(status, 0, "{err}");
        out
    };
    let cores = rayon::current_num_threads();
    let reason =
        format!("1024 points x 3 instructions, below the {} of a launch on a GPU", 50_000 * cores);
    let small = run("kernels/saxpy/saxpy.toml", &[]);
    let line = format!("block ran launch 0 ({reason})\n");
    assert!(small.contains(&line), "{small}");
    assert!(small.contains("\nengine block, mode exact: "), "{small}");
    let json: Value =
        serde_json::from_str(&run("kernels/saxpy/saxpy.toml", &["--json"])).expect("JSON");
    assert_eq!(json["engine"], "block");
    assert_eq!(json["adapter"], Value::Null);
    assert_eq!(
        json["ran"],
        serde_json::json!([{
            "engine": "block", "kind": "small", "reason": reason, "launches": 1, "first": 0
        }])
    );
    // 196,608 points of a loop are work for a GPU.
    let large = run("kernels/mandelbrot/mandelbrot.toml", &["--json"]);
    let json: Value = serde_json::from_str(&large).expect("JSON");
    assert_eq!(json["engine"], "auto");
    assert_eq!(json["adapter"], gpu.info.name);
    let ran = &json["ran"][0];
    assert!(ran["engine"] != "block", "{ran}");
    let reason = ran["reason"].as_str().expect("text");
    let compiling = reason == "its shader is being compiled meanwhile";
    assert!(compiling || reason.starts_with("196608 points x "), "{reason}");
}

/// Who works beside launches, such as the probe and the compiler, takes nobody else's error.
#[test]
#[ignore = "needs an adapter"]
fn work_beside_launches_leaves_their_errors_to_them() {
    let gpu = open();
    let aside = gpu.aside();
    let error = GpuError::Internal { what: "a call".into(), message: "it failed".into() };
    gpu.fail(error.clone());
    assert_eq!(aside.check(), Ok(()));
    assert_eq!(aside.scoped("something else", |_| 7), Ok(7));
    assert_eq!(gpu.scoped("the next call", |_| 7), Err(error));
    assert_eq!(gpu.check(), Ok(()));
    // Errors of its own are its own, and a lost device is everybody's.
    let usage = BufferUsages::MAP_READ | BufferUsages::MAP_WRITE;
    let refused = aside.buffer("a test's buffer", 4, usage);
    assert!(matches!(refused, Err(GpuError::Validation { .. })));
    assert_eq!(gpu.check(), Ok(()));
    gpu.lose();
    assert!(aside.check().is_err_and(|error| error.is_lost()));
}

/// A verdict is found once for a shader on a driver. A file that is broken, or another's, is not believed.
#[test]
#[ignore = "needs an adapter"]
fn a_verdict_is_found_once() {
    let gpu = open();
    let dir = tempfile::tempdir().unwrap();
    let inside = dir.path().join("cache");
    let kept = |gpu: &Gpu, source: &str| Kept::in_folder(gpu, source, Some(&inside));
    let never = || -> Result<bool, GpuError> { panic!("it is known") };
    for verdict in [true, false] {
        let kept = kept(&gpu, if verdict { "a" } else { "b" });
        assert_eq!(kept.verdict(|| Err(lost())), Err(lost()));
        assert_eq!(kept.verdict(|| Ok(verdict)), Ok(verdict));
        assert_eq!(kept.verdict(never), Ok(verdict));
    }
    let yes = kept(&gpu, "a");
    let file = yes.file().expect("a file");
    let good = std::fs::read(file).unwrap();
    let mut other = gpu.clone();
    other.info.driver_info.push('1');
    let others = kept(&other, "a");
    assert_eq!(others.verdict(|| Ok(true)), Ok(true));
    let mut bad: Vec<Vec<u8>> = (0..good.len()).map(|n| good[..n].to_vec()).collect();
    bad.extend((0..good.len()).map(|n| {
        let mut bytes = good.clone();
        bytes[n] ^= 1;
        bytes
    }));
    bad.extend([[&good[..], &[0]].concat(), std::fs::read(others.file().unwrap()).unwrap()]);
    for bytes in bad {
        std::fs::write(file, &bytes).unwrap();
        assert_eq!(yes.verdict(|| Ok(false)), Ok(false), "{bytes:?}");
        assert_eq!(yes.verdict(never), Ok(false));
    }
    // Without a folder, or a version of the driver, nothing is kept.
    other.info.driver_info.clear();
    for kept in [Kept::in_folder(&gpu, "a", None), kept(&other, "a")] {
        assert_eq!(kept.file(), None);
        assert_eq!((kept.verdict(|| Ok(true)), kept.verdict(|| Ok(false))), (Ok(true), Ok(false)));
    }
}
