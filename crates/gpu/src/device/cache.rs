//! Compiled pipelines and verdicts of the probe on disk, so that the next process need not compile or run
//! them again.
//!
//! A file belongs to one adapter and driver, one version of this package and one shader source. A file
//! that cannot be read, is broken, or belongs to something else is not an error: it is ignored and
//! replaced. Adapters without a cache of pipelines (all but Vulkan's) have no files of these.

use crate::device::connection::Gpu;
use ctm_base::files;
use ctm_machine::engine::GpuError;
use std::path::{Path, PathBuf};

/// The environment variable that names the folder; empty: no files.
pub const VARIABLE: &str = "CTM_CACHE_DIR";

/// The first bytes of a file.
const MAGIC: &[u8; 8] = b"ctmpipe1";

/// Bytes before a file's data: see [`sealed`].
const HEADER: usize = 24;

/// The suffix of the names of files with pipelines.
const PIPELINES: &str = ".pipelines";

/// The suffix of the names of files with a verdict.
const VERDICT: &str = ".verdict";

/// The largest size of a file in bytes.
const LARGEST: u64 = 64 << 20;

/// The most files in the folder. The oldest files beyond that are removed.
const MOST: usize = 64;

/// The size of wgpu's header and Vulkan's empty list: a cache of this size holds no pipeline.
const EMPTY: usize = 64 + 32;

/// A wgpu pipeline cache and its file.
pub struct Cache {
    pipelines: Option<wgpu::PipelineCache>,
    file: Option<PathBuf>,
    /// The file's name. The file holds its checksum.
    name: String,
    /// The checksum of the data that were read; `None` if none were.
    read: Option<u64>,
}

impl Cache {
    /// Loads what an earlier process left for this adapter and these shader sources.
    pub fn load(gpu: &Gpu, sources: &[&str]) -> Cache {
        Cache::load_from(gpu, sources, folder().as_deref())
    }

    /// [`load`](Self::load) from a folder. Without one, the cache lives as long as the process.
    pub fn load_from(gpu: &Gpu, sources: &[&str], folder: Option<&Path>) -> Cache {
        let key = wgpu::util::pipeline_cache_key(&gpu.info.raw).filter(|_| gpu.info.pipeline_cache);
        let Some(key) = key else {
            return Cache { pipelines: None, file: None, name: String::new(), read: None };
        };
        let name = format!("{key}-{}{PIPELINES}", made_for(gpu, sources));
        let file = folder.map(|folder| folder.join(&name));
        let bytes = file.as_ref().and_then(|path| files::read(path, LARGEST).ok());
        let data = bytes.as_deref().and_then(|bytes| opened(bytes, &name));
        let create = |data: Option<&[u8]>| {
            gpu.aside()
                .scoped("the pipeline cache", |device| {
                    let descriptor =
                        wgpu::PipelineCacheDescriptor { label: None, data, fallback: true };
                    // SAFETY: the data must come from `get_data` of a cache of the same adapter.
                    // The file's name and header say that `save` wrote it for this adapter, driver
                    // and source. The checksum says that it has not changed since. The file is in
                    // the user's own cache folder: an attacker who can forge it can also replace
                    // this program. There is no safe way to create a pipeline cache.
                    unsafe { device.create_pipeline_cache(&descriptor) }
                })
                .ok()
        };
        let with_data = data.and_then(|data| create(Some(data)));
        let read = with_data.as_ref().and(data).map(checksum);
        Cache { pipelines: with_data.or_else(|| create(None)), file, name, read }
    }

    /// The cache for pipeline descriptors; `None` if the adapter has none.
    pub fn pipelines(&self) -> Option<&wgpu::PipelineCache> {
        self.pipelines.as_ref()
    }

    /// Whether a valid file was read.
    pub fn was_read(&self) -> bool {
        self.read.is_some()
    }

    /// The file, if there is a folder and the adapter can use one.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Writes the pipelines compiled so far to the file, if there is anything new. The file is
    /// written whole or not at all. Returns whether it was written; a folder that cannot be written
    /// to is not an error.
    pub fn save(&self) -> bool {
        let (Some(pipelines), Some(path)) = (&self.pipelines, &self.file) else {
            return false;
        };
        let Some(data) = data_of(pipelines) else {
            return false;
        };
        let too_large = (HEADER + data.len()) as u64 > LARGEST;
        if too_large || self.read == Some(checksum(&data)) {
            return false;
        }
        write(path, &sealed(&data, &self.name), PIPELINES)
    }
}

/// Writes a file whole or not at all, and removes old ones with its suffix. Returns whether it was written.
fn write(path: &Path, bytes: &[u8], suffix: &str) -> bool {
    let Some(folder) = path.parent().filter(|folder| std::fs::create_dir_all(folder).is_ok())
    else {
        return false;
    };
    let written = files::replace(path, bytes).is_ok();
    tidy(folder, suffix, MOST);
    written
}

/// The part of a file's name that says for what it was made: this package's version, the driver, the
/// sources. Drivers change under the same adapter, and one cannot use what another compiled or computed.
fn made_for(gpu: &Gpu, sources: &[&str]) -> String {
    let mut hash = Checksum::new();
    let driver = [gpu.info.driver.as_str(), &gpu.info.driver_info];
    for text in driver.iter().chain(sources) {
        hash.add(text.as_bytes());
    }
    format!("{}-{:016x}", env!("CARGO_PKG_VERSION"), hash.0)
}

/// A verdict on an adapter that a shader gave, and its file.
pub struct Kept {
    file: Option<PathBuf>,
    name: String,
}

impl Kept {
    /// The verdict that the shader `source` gives on this adapter.
    pub fn new(gpu: &Gpu, source: &str) -> Kept {
        Kept::in_folder(gpu, source, folder().as_deref())
    }

    /// [`new`](Self::new) in a folder. Without one, and for a driver that does not name its version, no file
    /// is kept.
    pub fn in_folder(gpu: &Gpu, source: &str, folder: Option<&Path>) -> Kept {
        let name = format!("{}{VERDICT}", made_for(gpu, &[&gpu.info.name, source]));
        let folder = folder.filter(|_| !gpu.info.driver_info.is_empty());
        Kept { file: folder.map(|folder| folder.join(&name)), name }
    }

    /// The verdict that an earlier process left; else finds it, and leaves it.
    ///
    /// # Errors
    /// Those of `find`. They are not kept.
    pub fn verdict(&self, find: impl FnOnce() -> Result<bool, GpuError>) -> Result<bool, GpuError> {
        let bytes = self.file.as_ref().and_then(|path| files::read(path, HEADER as u64 + 1).ok());
        match bytes.as_deref().and_then(|bytes| opened(bytes, &self.name)) {
            Some([0]) => return Ok(false),
            Some([1]) => return Ok(true),
            _ => {}
        }
        let found = find()?;
        if let Some(path) = &self.file {
            // Where nothing can be written, the next process finds it again.
            write(path, &sealed(&[found.into()], &self.name), VERDICT);
        }
        Ok(found)
    }

    /// The file, if there is one.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }
}

/// The data of a cache, if it holds any pipeline.
fn data_of(pipelines: &wgpu::PipelineCache) -> Option<Vec<u8>> {
    pipelines.get_data().filter(|data| data.len() > EMPTY)
}

/// Whether the driver returns anything to keep: some offer pipeline caches and leave them empty.
/// Creates a pipeline and runs it, since some drivers compile only then.
pub fn keeps(gpu: &Gpu) -> bool {
    let cache = Cache::load_from(gpu, &[], None);
    let Some(pipelines) = cache.pipelines() else {
        return false;
    };
    let ran = gpu.aside().scoped("a pipeline", |device| {
        let source = "@compute @workgroup_size(64) fn main() {}";
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: None,
                source: wgpu::ShaderSource::Wgsl(source.into()),
            }),
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: Some(pipelines),
        });
        let mut encoder = device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.dispatch_workgroups(1, 1, 1);
        drop(pass);
        gpu.queue.submit([encoder.finish()])
    });
    ran.and_then(|submitted| gpu.wait(Some(submitted))).is_ok() && data_of(pipelines).is_some()
}

/// FNV-1a, 64 bits. It detects broken files, not forged ones.
struct Checksum(u64);

impl Checksum {
    fn new() -> Checksum {
        Checksum(0xcbf2_9ce4_8422_2325)
    }

    /// Adds some bytes and their length.
    fn add(&mut self, bytes: &[u8]) {
        let length = (bytes.len() as u64).to_le_bytes();
        for byte in bytes.iter().chain(&length) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
}

pub(crate) fn checksum(data: &[u8]) -> u64 {
    let mut sum = Checksum::new();
    sum.add(data);
    sum.0
}

/// The content of a file: the magic, the checksums of its name and its data (8 bytes each, little
/// endian), and the data.
fn sealed(data: &[u8], name: &str) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(checksum(name.as_bytes()).to_le_bytes());
    bytes.extend(checksum(data).to_le_bytes());
    bytes.extend(data);
    bytes
}

/// The data of a file with this name; `None` if it is broken or was made for another name.
fn opened<'a>(bytes: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let (magic, rest) = bytes.split_first_chunk::<8>()?;
    let (named, rest) = rest.split_first_chunk::<8>()?;
    let (sum, data) = rest.split_first_chunk::<8>()?;
    let good = magic == MAGIC
        && u64::from_le_bytes(*named) == checksum(name.as_bytes())
        && u64::from_le_bytes(*sum) == checksum(data);
    good.then_some(data)
}

/// Removes the oldest files with a suffix beyond the `most` newest.
fn tidy(folder: &Path, suffix: &str, most: usize) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    let mut files: Vec<_> = entries
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().ends_with(suffix))
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    files.sort();
    let extra = files.len().saturating_sub(most);
    for (_, path) in files.into_iter().take(extra) {
        // Another process may have removed it first.
        let _ = std::fs::remove_file(path);
    }
}

/// The user's cache folder of this program: the value of `CTM_CACHE_DIR`, otherwise `ctm` in the
/// system's cache folder. `None` if there is none, or if the variable is empty.
pub fn folder() -> Option<PathBuf> {
    folder_by(|variable| std::env::var_os(variable).map(PathBuf::from))
}

fn folder_by(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    if let Some(path) = variable(VARIABLE) {
        return Some(path).filter(|path| !path.as_os_str().is_empty());
    }
    // A relative path would depend on the folder in which a command runs.
    let absolute = |name: &str| variable(name).filter(|path| path.is_absolute());
    if cfg!(windows) {
        return Some(absolute("LOCALAPPDATA")?.join("ctm").join("cache"));
    }
    if cfg!(target_os = "macos") {
        return Some(absolute("HOME")?.join("Library/Caches/ctm"));
    }
    match absolute("XDG_CACHE_HOME") {
        Some(caches) => Some(caches.join("ctm")),
        None => Some(absolute("HOME")?.join(".cache/ctm")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_opens_whole_and_under_its_own_name_only() {
        let data: Vec<u8> = (0..=255).collect();
        let bytes = sealed(&data, "a");
        assert_eq!(opened(&bytes, "a"), Some(&data[..]));
        assert_eq!(opened(&bytes, "b"), None);
        for cut in [0, 7, 8, 23, 24, bytes.len() - 1] {
            assert_eq!(opened(&bytes[..cut], "a"), None, "cut to {cut}");
        }
        for broken in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[broken] ^= 4;
            assert_eq!(opened(&bytes, "a"), None, "byte {broken}");
        }
        let longer = [&bytes[..], &[0]].concat();
        assert_eq!(opened(&longer, "a"), None);
        assert_eq!(opened(&sealed(&[], "a"), "a"), Some(&[][..]));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_folder_is_the_users() {
        let folder = |set: &[(&str, &str)]| {
            folder_by(|name| {
                let (_, value) = set.iter().find(|(n, _)| *n == name)?;
                Some(PathBuf::from(value))
            })
        };
        let home = ("HOME", "/home/u");
        assert_eq!(folder(&[home]), Some("/home/u/.cache/ctm".into()));
        assert_eq!(folder(&[home, ("XDG_CACHE_HOME", "/c")]), Some("/c/ctm".into()));
        assert_eq!(folder(&[home, ("XDG_CACHE_HOME", "c")]), Some("/home/u/.cache/ctm".into()));
        assert_eq!(folder(&[home, (VARIABLE, "x/y")]), Some("x/y".into()));
        assert_eq!(folder(&[home, (VARIABLE, "")]), None);
        assert_eq!(folder(&[]), None);
    }

    #[test]
    fn the_oldest_files_go() {
        let dir = tempfile::tempdir().unwrap();
        for n in 0..5 {
            let path = dir.path().join(format!("{n}{PIPELINES}"));
            let file = std::fs::File::create(path).unwrap();
            let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(10 - n);
            file.set_modified(time).unwrap();
        }
        std::fs::write(dir.path().join("other"), "").unwrap();
        tidy(dir.path(), PIPELINES, 2);
        let mut left: Vec<_> = std::fs::read_dir(dir.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, ["0.pipelines", "1.pipelines", "other"]);
        tidy(&dir.path().join("none"), PIPELINES, 2);
    }
}
