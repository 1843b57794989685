//! The recordings of the process.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::CallError;
use crate::device::{DeviceConfig, Recorder};
use crate::record::{Recording, report_end};

static RECORDINGS: Mutex<Recordings> =
    Mutex::new(Recordings { files: BTreeMap::new(), chosen: None });

struct Recordings {
    /// The files of this process; `None` for one that could not be created.
    files: BTreeMap<PathBuf, Option<Arc<Recording>>>,
    /// The choice of `ctm_record`, if it was called: a file or none.
    chosen: Option<Option<PathBuf>>,
}

/// Makes the file for all devices opened from now on; `None`: they are not recorded.
pub(super) fn choose(file: Option<String>) -> Result<(), CallError> {
    let mut recordings = RECORDINGS.lock();
    let Some(file) = file else {
        recordings.chosen = Some(None);
        return Ok(());
    };
    let path = PathBuf::from(&file);
    let made = match recordings.files.get(&path) {
        Some(Some(recording)) => recording.check_process().map(|()| Arc::clone(recording)),
        Some(None) | None => Recording::create(&path),
    };
    let made = made.map_err(|error| CallError(format!("ctm_record: \"{file}\": {error}")))?;
    recordings.files.insert(path.clone(), Some(made));
    recordings.chosen = Some(Some(path));
    Ok(())
}

/// The recorder of a device: in the file that `ctm_record` chose, else in `file`. If the file cannot
/// be created, prints so once and returns `None`.
pub(super) fn recorder(file: Option<&Path>, config: &DeviceConfig) -> Option<Arc<dyn Recorder>> {
    let mut recordings = RECORDINGS.lock();
    let path = match &recordings.chosen {
        Some(chosen) => chosen.clone()?,
        None => file?.to_path_buf(),
    };
    let create = || Recording::create(&path).inspect_err(|error| report_end(&path, error)).ok();
    let recording = recordings.files.entry(path.clone()).or_insert_with(create).clone()?;
    if let Err(error) = recording.check_process() {
        report_end(&path, &error);
        recordings.files.insert(path, None);
        return None;
    }
    Some(Arc::new(recording.device(config)))
}
