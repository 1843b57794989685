//! Writes a recording. The first error ends it: the client goes on unrecorded.

use super::format::{Change, Event, FRAME, Frame, Open, Submission, header};
use crate::device::{DeviceConfig, Pieces, PiecesIter, Recorder, Submitted};
use lz4_flex::block::{CompressTable, compress_into_with_table, get_maximum_output_size};
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
    file: Mutex<Option<Output>>,
    /// The process that made it: in a child of a fork, it has the same file and other devices.
    process: u32,
    devices: AtomicU32,
}

/// The file, and the events that it does not have yet.
struct Output {
    file: Box<dyn Write + Send>,
    events: Vec<u8>,
    /// The compressor's table for each record.
    table: CompressTable,
    packed: Vec<u8>,
}

/// A record has about this many bytes: more events go to the next one.
const RECORD: usize = 64 << 10;

impl Output {
    /// Appends an event, which a killed client may not leave.
    fn add(&mut self, device: u32, event: &Event) -> io::Result<()> {
        let events = std::mem::take(&mut self.events);
        self.events = postcard::to_extend(&(device, event), events).map_err(io::Error::other)?;
        if self.events.len() < RECORD { Ok(()) } else { self.flush() }
    }

    /// Writes the events, as a record, with one call.
    fn flush(&mut self) -> io::Result<()> {
        if self.events.is_empty() {
            return Ok(());
        }
        let raw = u32::try_from(self.events.len()).map_err(io::Error::other)?;
        self.packed.resize(FRAME + get_maximum_output_size(self.events.len()), 0);
        let (events, packed) = (&self.events, &mut self.packed[FRAME..]);
        let stored =
            compress_into_with_table(events, packed, &mut self.table).map_err(io::Error::other)?;
        let stored = if stored < events.len() {
            stored
        } else {
            packed[..events.len()].copy_from_slice(events);
            events.len()
        };
        let hash = xxh3_64(&packed[..stored]);
        let frame = Frame { stored: stored as u32, raw, hash };
        self.packed[..FRAME].copy_from_slice(&frame.encode());
        self.file.write_all(&self.packed[..FRAME + stored])?;
        self.events.clear();
        if self.events.capacity() > 4 * RECORD {
            (self.events, self.packed) = (Vec::new(), Vec::new());
        }
        Ok(())
    }
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
        #[cfg_attr(not(unix), expect(unused_mut, reason = "permissions are those of Unix"))]
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        // The error would have the name of the temporary file.
        let made = builder.tempfile_in(folder);
        let mut file = made.map_err(|error| io::Error::from(error.kind()))?;
        file.write_all(&header())?;
        let file = file.persist_noclobber(path).map_err(|error| error.error)?;
        Ok(Recording::new(path, Box::new(file)))
    }

    /// A recording whose header is written.
    pub(super) fn new(path: &Path, file: Box<dyn Write + Send>) -> Arc<Recording> {
        let (table, events, packed) = (CompressTable::default(), Vec::new(), Vec::new());
        let file = Mutex::new(Some(Output { file, events, table, packed }));
        let (path, process) = (path.to_path_buf(), std::process::id());
        Arc::new(Recording { path, file, process, devices: AtomicU32::new(0) })
    }

    /// Checks that this process made the recording, and not one from which it was forked.
    ///
    /// # Errors
    /// If another process did: this one goes on unrecorded.
    pub fn check_process(&self) -> io::Result<()> {
        if self.process == std::process::id() {
            return Ok(());
        }
        Err(io::Error::other(format!(
            "the file belongs to process {}, from which this one was forked",
            self.process
        )))
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

    /// Changes the file. The first error ends it.
    fn change(&self, change: impl FnOnce(&mut Output) -> io::Result<()>) {
        let mut file = self.file.lock();
        let Some(output) = file.as_mut() else {
            return;
        };
        if let Err(error) = change(output) {
            *file = None;
            report_end(&self.path, &error);
        }
    }
}

/// Tells the user, once, why a client goes on unrecorded.
pub fn report_end(path: &Path, error: &io::Error) {
    let path = path.display();
    let remedy = match error.kind() {
        io::ErrorKind::AlreadyExists => {
            "; a recording replaces no file: remove it or choose another name"
        }
        _ => "",
    };
    // A client without a standard error goes on, too.
    let _ = writeln!(
        io::stderr(),
        "ctm: {path}: this client is not recorded from here on: {error}{remedy}"
    );
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
        self.recording.change(|output| output.add(self.number, event));
    }

    /// Records pieces as events of some size, except the last ones, which it returns.
    fn append_most<'p>(
        &self,
        pieces: impl Iterator<Item = (u32, u32, &'p [u8])>,
        event: fn(Pieces) -> Event,
    ) -> Pieces {
        let mut pending = Pieces::default();
        for (before, address, bytes) in pieces {
            for (n, part) in bytes.chunks(MOST_BYTES).enumerate() {
                if pending.bytes().len() + part.len() > MOST_BYTES {
                    self.append(&event(std::mem::take(&mut pending)));
                }
                pending.push(before, address + (n * MOST_BYTES) as u32, part);
            }
        }
        pending
    }
}

impl Recorder for DeviceRecorder {
    fn wrote(&self, pieces: &[(u32, &[u8])]) {
        let pieces = pieces.iter().map(|&(address, bytes)| (0, address, bytes));
        let rest = self.append_most(pieces, Event::Write);
        if !rest.is_empty() {
            self.append(&Event::Write(rest));
        }
    }

    fn submitted(&self, submission: Submitted<'_>) {
        if self.recording.file.lock().is_none() {
            return;
        }
        let Submitted { words, awaited, fetched, report, memory } = submission;
        let fetched = if fetched.bytes().len() <= MOST_BYTES {
            fetched
        } else {
            let found: PiecesIter<'_> = fetched.iter();
            let found = found.map(|(place, bytes)| (place.before, place.address, bytes));
            self.append_most(found, Event::Fetched)
        };
        let repeatable = report.is_repeatable();
        let change = |written: &crate::device::Written| Change {
            offset: written.offset as u32,
            what: written.what,
            hash: written.hash(memory),
        };
        let changes =
            if repeatable { report.written.iter().map(change).collect() } else { Vec::new() };
        self.append(&Event::Submit(Submission {
            fetched,
            words: words.to_vec(),
            awaited,
            executed: report.words as u64,
            launches: report.launches,
            problems: problems(report).join("\n"),
            repeatable,
            changes,
        }));
        if !repeatable {
            let bytes = report.written.iter().flat_map(|written| written.bytes(memory));
            self.wrote(&bytes.collect::<Vec<_>>());
        }
    }

    fn keep(&self) {
        self.recording.change(Output::flush);
    }
}

impl Drop for DeviceRecorder {
    fn drop(&mut self) {
        if self.recording.check_process().is_ok() {
            self.append(&Event::Close);
            self.keep();
        }
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
