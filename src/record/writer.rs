//! Writes a recording. The first error ends it: the client goes on unrecorded.

use super::format::{Change, Event, Frame, Open, Submission, header};
use crate::device::{DeviceConfig, Piece, Recorder, Submitted};
use parking_lot::Mutex;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use xxhash_rust::xxh3::xxh3_64;

/// A file that holds all devices of a process.
pub struct Recording {
    path: PathBuf,
    /// `None` after a write that failed.
    file: Mutex<Option<Box<dyn Write + Send>>>,
    devices: AtomicU32,
}

impl Recording {
    /// Creates a file, with a header and no record.
    ///
    /// # Errors
    /// If the file exists, or cannot be created or written.
    pub fn create(path: &Path) -> io::Result<Arc<Recording>> {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        // The file appears with its header, so that no moment has a file that is not a recording.
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let mut file = builder.tempfile_in(folder)?;
        file.write_all(&header())?;
        let file = file.persist_noclobber(path).map_err(|error| error.error)?;
        Ok(Recording::new(path, Box::new(file)))
    }

    /// A recording whose header is written.
    pub(super) fn new(path: &Path, file: Box<dyn Write + Send>) -> Arc<Recording> {
        let file = Mutex::new(Some(file));
        Arc::new(Recording { path: path.to_path_buf(), file, devices: AtomicU32::new(0) })
    }

    /// The recorder of a device that is about to be opened.
    pub fn device(self: &Arc<Recording>, config: &DeviceConfig) -> DeviceRecorder {
        let number = self.devices.fetch_add(1, Ordering::Relaxed);
        let recorder = DeviceRecorder { recording: Arc::clone(self), number };
        let arenas = &config.arenas;
        recorder.append(&Event::Open(Open {
            ctm: env!("CARGO_PKG_VERSION").to_string(),
            arenas: [arenas.gpu, arenas.gpub, arenas.sys, arenas.sysc],
            engine: config.engine.name().to_string(),
            mode: config.mode.name().to_string(),
            statistics: config.statistics,
            instructions: config.limits.instructions,
        }));
        recorder
    }

    fn append(&self, device: u32, event: &Event) {
        let mut file = self.file.lock();
        let Some(open) = file.as_mut() else {
            return;
        };
        if let Err(error) = record(device, event).and_then(|bytes| open.write_all(&bytes)) {
            *file = None;
            report_end(&self.path, &error);
        }
    }
}

/// Tells the user, once, why a client goes on unrecorded.
pub(crate) fn report_end(path: &Path, error: &io::Error) {
    let path = path.display();
    // A client without a standard error goes on, too.
    let _ =
        writeln!(io::stderr(), "ctm: {path}: this client is not recorded from here on: {error}");
}

/// The bytes of a record.
fn record(device: u32, event: &Event) -> io::Result<Vec<u8>> {
    let raw = postcard::to_stdvec(event).map_err(io::Error::other)?;
    let len = u32::try_from(raw.len()).map_err(io::Error::other)?;
    let packed = lz4_flex::block::compress(&raw);
    let content = if packed.len() < raw.len() { packed } else { raw };
    let stored = content.len() as u32;
    let frame = Frame { stored, raw: len, device, hash: xxh3_64(&content) };
    Ok([frame.encode().as_slice(), &content].concat())
}

/// Records one device.
pub struct DeviceRecorder {
    recording: Arc<Recording>,
    number: u32,
}

/// The bytes of one record of host writes, about: more are split.
const MOST_BYTES: usize = 16 << 20;

impl DeviceRecorder {
    fn append(&self, event: &Event) {
        self.recording.append(self.number, event);
    }

    /// Records host writes, except the last ones, which it returns.
    fn write_most(&self, pieces: Vec<Piece>) -> Vec<super::format::Bytes> {
        let mut pending = Vec::new();
        let mut size = 0;
        for (address, bytes) in pieces {
            for (n, part) in bytes.chunks(MOST_BYTES).enumerate() {
                if size + part.len() > MOST_BYTES {
                    self.append(&Event::Write(std::mem::take(&mut pending)));
                    size = 0;
                }
                size += part.len();
                let address = address + (n * MOST_BYTES) as u32;
                pending.push((address, part.to_vec()).into());
            }
        }
        pending
    }
}

impl Recorder for DeviceRecorder {
    fn wrote(&self, pieces: Vec<Piece>) {
        let rest = self.write_most(pieces);
        if !rest.is_empty() {
            self.append(&Event::Write(rest));
        }
    }

    fn submitted(&self, submission: Submitted<'_>) {
        if self.recording.file.lock().is_none() {
            return;
        }
        let Submitted { words, awaited, fetched, report, memory } = submission;
        let fetched = self.write_most(fetched);
        let repeatable = report.is_repeatable();
        let change = |written: &crate::device::Written| Change {
            offset: written.offset as u64,
            what: written.what.clone(),
            hash: written.hash(memory),
        };
        let changes = match repeatable {
            true => report.written.iter().map(change).collect(),
            false => Vec::new(),
        };
        self.append(&Event::Submit(Submission {
            fetched,
            words: words.to_vec(),
            awaited,
            executed: report.words as u64,
            launches: report.launches,
            problems: problems(report),
            repeatable,
            changes,
        }));
        if !repeatable {
            let bytes = report.written.iter().flat_map(|written| written.bytes(memory));
            self.wrote(bytes.map(|(address, bytes)| (address, bytes.to_vec())).collect());
        }
    }
}

impl Drop for DeviceRecorder {
    fn drop(&mut self) {
        self.append(&Event::Close);
    }
}

/// The problems of a submission that every engine reports in the same words.
pub(super) fn problems(report: &crate::device::SubmissionReport) -> Vec<String> {
    let faults = report.command_faults.iter().flat_map(|faults| faults.lines());
    faults.chain(report.error.iter().map(ToString::to_string)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;
    use crate::engine::block::Block;
    use crate::memory::ArenaSizes;

    /// A disk with room for some bytes.
    struct Full {
        room: usize,
        calls_after: Arc<AtomicU32>,
    }

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.room == 0 {
                self.calls_after.fetch_add(1, Ordering::Relaxed);
                return Err(io::ErrorKind::StorageFull.into());
            }
            let len = bytes.len().min(self.room);
            self.room -= len;
            Ok(len)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_ends_the_recording_and_not_the_device() {
        let calls_after = Arc::new(AtomicU32::new(0));
        let file = Full { room: 300, calls_after: Arc::clone(&calls_after) };
        let recording = Recording::new(Path::new("full.rec"), Box::new(file));
        let arenas = ArenaSizes { gpu: 1 << 16, gpub: 0, sys: 0, sysc: 0 };
        let mut config = DeviceConfig { arenas, ..DeviceConfig::new(Arc::new(Block::new())) };
        config.recorder = Some(Arc::new(recording.device(&config)));
        let device = Device::open(config).expect("64 KiB");
        for _ in 0..20 {
            let id = device.submit_words(Vec::new());
            assert!(device.wait(id).expect("a report").is_clean());
        }
        assert_eq!(calls_after.load(Ordering::Relaxed), 1);
    }
}
