//! The exported functions. Each turns pointers into values (`raw`), calls safe code, and returns
//! its result. An error becomes the last error of the thread, and the function returns its value
//! for "refused".
//!
//! Safety of all of them: pointers are NULL or as the header requires. Handles and ids may have any
//! value.

// The headers document the functions' contracts, where their callers read them.
#![allow(missing_docs, clippy::missing_safety_doc)]

use std::ffi::{c_char, c_int, c_void};
use std::mem::size_of;

use super::connection::{self, BOARD, Connection};
use super::error::{self, CallError};
use super::programs::{self, Compiled, Language};
use super::raw::{self, Log};
use super::recordings;
use super::settings::{ENGINES, Settings};
use super::types::*;
use super::{consts, report};
use crate::device::SubmitId;
use crate::launch::FloatMode;
use crate::memory::ArenaKind;
use crate::panics;

/// Runs a call; `refused` is its result if it is refused.
fn call<T>(refused: T, body: impl FnOnce() -> Result<T, CallError>) -> T {
    let body = || {
        panics::point("call", String::new);
        body()
    };
    let result = panics::catch(body).unwrap_or_else(|panic| Err(panic.into()));
    result.unwrap_or_else(|error| {
        error::set(&error.0);
        refused
    })
}

/// Runs a call that returns 1, or 0 if it is refused.
fn done(body: impl FnOnce() -> Result<(), CallError>) -> c_int {
    call(0, || body().map(|()| 1))
}

/// A handle, as clients pass it.
type Handle = *mut c_void;

fn handle(device: Handle) -> Result<usize, CallError> {
    if device.is_null() { Err(CallError::null("device")) } else { Ok(device as usize) }
}

fn connection(device: Handle) -> Result<std::sync::Arc<Connection>, CallError> {
    connection::get(handle(device)?)
}

// ---- amDeviceManaged.h ----

#[unsafe(no_mangle)]
pub unsafe extern "C" fn amOpenManagedConnection(
    name: *const c_char,
    info: *mut AMmanagedDeviceInfo,
) -> Handle {
    call(std::ptr::null_mut(), || {
        // SAFETY: a string, as the header says.
        let name = unsafe { raw::text("name", name)? }.ok_or_else(|| CallError::null("name"))?;
        if name != BOARD {
            return Err(CallError(format!("device \"{name}\": there is one board, \"{BOARD}\"")));
        }
        // SAFETY: NULL or a structure, as the header says.
        unsafe { open(&Settings::from_environment()?, info) }
    })
}

/// Safety: `info` is NULL or room for a structure.
unsafe fn open(settings: &Settings, info: *mut AMmanagedDeviceInfo) -> Result<Handle, CallError> {
    let (handle, connection) = connection::open(settings)?;
    if !info.is_null() {
        // SAFETY: not NULL, hence room.
        unsafe { raw::put("info", info, describe(&connection))? };
    }
    Ok(handle as Handle)
}

fn describe(connection: &Connection) -> AMmanagedDeviceInfo {
    let device = &connection.device;
    // The settings limit sizes to 32 bits.
    let size = |kind| {
        let arena = device.arenas().iter().find(|arena| arena.kind == kind);
        arena.map_or(0, |arena| arena.size as u32)
    };
    let base = |kind| device.base(kind);
    // Both pointers refer to one block, because clients confuse the two.
    let host = match device.client_memory() {
        Some(client) if !client.is_empty() => client.as_ptr().cast(),
        _ => std::ptr::null_mut(),
    };
    AMmanagedDeviceInfo {
        arena_size_gpu: size(ArenaKind::Gpu),
        arena_size_gpub: size(ArenaKind::GpuB),
        arena_size_sys: size(ArenaKind::Sys),
        arena_size_sysc: size(ArenaKind::SysC),
        base_address_gpu: base(ArenaKind::Gpu),
        base_address_gpub: base(ArenaKind::GpuB),
        base_address_sys: base(ArenaKind::Sys),
        base_address_sysc: base(ArenaKind::SysC),
        base_address_cpu: host,
        base_address_cpuc: host,
        spare0: 0,
        spare1: 0,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn amSubmitCommandBuffer(device: Handle, address: u32, size: u32) -> u32 {
    call(0, || connection(device)?.submit(address, size))
}

#[unsafe(no_mangle)]
pub extern "C" fn amCommandBufferConsumed(device: Handle, id: u32) -> u32 {
    // Refused means that nothing is pending: clients spin on 0 without checking the id.
    call(1, || Ok(u32::from(connection(device)?.consumed(id)?)))
}

#[unsafe(no_mangle)]
pub extern "C" fn amCloseManagedConnection(device: Handle) {
    call((), || connection::close(handle(device)?));
}

// ---- amuComp.h, amuAsm.h ----

#[unsafe(no_mangle)]
pub extern "C" fn amuCompOpenCompiler() -> Handle {
    call(std::ptr::null_mut(), || Ok(programs::open_compiler() as Handle))
}

#[unsafe(no_mangle)]
pub extern "C" fn amuCompCloseCompiler(compiler: Handle) {
    call((), || programs::close_compiler(compiler as usize));
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn amuCompCompile(
    compiler: Handle,
    source: *const c_char,
    length: u32,
    macros: *const AMUcompMacro,
    _options: *const c_void,
    entry: *const c_char,
    size: *mut u32,
    binary: *mut *mut c_void,
    log: Log,
) -> c_int {
    done(|| {
        // SAFETY: pointers are as the header says.
        unsafe {
            give(size, binary, log, || {
                programs::check_compiler(compiler as usize)?;
                let entry = raw::text("entry", entry)?.unwrap_or_else(|| "main".to_string());
                if entry != "main" {
                    let what = format!("the entry point is \"{entry}\", expected \"main\"");
                    return Err(CallError(format!("amuCompCompile: {what}")));
                }
                let language = language(macros)?;
                let source = source_text(source, length)?;
                programs::compile(language, &source, "source")
            })
        }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn amuAsmAssemble(
    source: *const c_char,
    length: u32,
    size: *mut u32,
    binary: *mut *mut c_void,
    log: Log,
) -> c_int {
    done(|| {
        // SAFETY: pointers are as the header says.
        unsafe {
            give(size, binary, log, || {
                let source = source_text(source, length)?;
                programs::compile(Language::Asm, &source, "source")
            })
        }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn amuAsmDisassemble(binary: *const c_void, log: Log) {
    call((), || {
        // SAFETY: an executable and a function, as the header says.
        unsafe {
            let text = logged(log, || programs::disassemble(&raw::executable(binary)?))?;
            raw::tell(log, &text);
        }
        Ok(())
    });
}

/// The language that the macros select. Safety: NULL, or entries up to one whose name is NULL.
unsafe fn language(macros: *const AMUcompMacro) -> Result<Language, CallError> {
    /// No client has more entries. The limit ends a list without an end marker.
    const MOST: usize = 1024;
    let mut found = None;
    for n in 0..MOST {
        if macros.is_null() {
            break;
        }
        // SAFETY: the earlier entries were not the last one.
        let one = unsafe { macros.add(n).read_unaligned() };
        // SAFETY: NULL or a string.
        let Some(name) = (unsafe { raw::text("macro", one.name)? }) else {
            break;
        };
        found = found.or(Language::from_macro(&name));
    }
    found.ok_or_else(|| {
        CallError(
            "amuCompCompile: none of the macros AMU_LANG_PS3 and CTM_LANG_ASM is given".into(),
        )
    })
}

/// Safety: `source` is NULL or has `length` bytes.
unsafe fn source_text(source: *const c_char, length: u32) -> Result<String, CallError> {
    // SAFETY: the caller guarantees it.
    let bytes = unsafe { raw::values("source", source.cast::<u8>(), length as usize)? };
    String::from_utf8(bytes).map_err(|_| CallError::not_text("source"))
}

/// Runs `body` and passes its error to the log. Safety: `log` is a function or none.
unsafe fn logged<T>(log: Log, body: impl FnOnce() -> Result<T, CallError>) -> Result<T, CallError> {
    // SAFETY: the caller guarantees it.
    body().inspect_err(|error| unsafe { raw::tell(log, &error.0) })
}

/// Returns an executable to the client, and passes its warnings to the log. Safety: `size` and
/// `binary` are NULL or have room, `log` is a function or none.
unsafe fn give(
    size: *mut u32,
    binary: *mut *mut c_void,
    log: Log,
    make: impl FnOnce() -> Result<Compiled, CallError>,
) -> Result<(), CallError> {
    for (name, is_null) in [("size", size.is_null()), ("binary", binary.is_null())] {
        if is_null {
            return Err(CallError::null(name));
        }
    }
    // SAFETY: the caller guarantees it.
    unsafe {
        raw::put("size", size, 0)?;
        raw::put("binary", binary, std::ptr::null_mut())?;
        let Compiled { executable, warnings } = logged(log, make)?;
        let memory = raw::allocate(executable.len())?;
        raw::put_bytes("binary", memory, &executable)?;
        raw::put("size", size, executable.len() as u32)?;
        raw::put("binary", binary, memory)?;
        for warning in warnings {
            raw::tell(log, &warning);
        }
    }
    Ok(())
}

// ---- amuABI.h ----

#[unsafe(no_mangle)]
pub unsafe extern "C" fn amuABIExtractConstants(binary: *const c_void) -> AMUabiConstsInfo {
    call(consts::NONE, || {
        // SAFETY: an executable, as the header says.
        let executable = unsafe { raw::executable(binary)? };
        consts::give(&executable)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn amuABISetLiteralConstants(
    info: AMUabiConstsInfo,
    floats: *mut c_void,
    ints: *mut c_void,
    bools: *mut c_void,
) {
    call((), || {
        // SAFETY: the structure came from amuABIExtractConstants; areas are as the header says.
        unsafe { consts::set_literals(&info, floats, ints, bools) }
    });
}

// ---- ctm.h ----

#[unsafe(no_mangle)]
pub extern "C" fn ctm_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

#[unsafe(no_mangle)]
pub extern "C" fn ctm_last_error() -> *const c_char {
    error::last()
}

#[unsafe(no_mangle)]
pub extern "C" fn ctm_clear_error() {
    error::clear();
}

#[unsafe(no_mangle)]
pub extern "C" fn ctm_engine_name(index: u32) -> *const c_char {
    // Each ends with a zero; a test compares them with the list.
    const NAMES: [&std::ffi::CStr; ENGINES.len()] =
        [c"auto", c"reference", c"block", c"interpreter", c"translated", c"gpu"];
    NAMES.get(index as usize).map_or(std::ptr::null(), |name| name.as_ptr())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctm_config_init(config: *mut CtmConfig) -> c_int {
    done(|| {
        let settings = Settings::from_environment()?;
        let arenas = &settings.arenas;
        let value = CtmConfig {
            struct_size: size_of::<CtmConfig>() as u32,
            float_mode: settings.mode as u32,
            statistics: settings.statistics.into(),
            arena_size_gpu: arenas.gpu as u32,
            arena_size_gpub: arenas.gpub as u32,
            arena_size_sys: arenas.sys as u32,
            arena_size_sysc: arenas.sysc as u32,
            instruction_limit: u32::try_from(settings.limits.instructions).unwrap_or(u32::MAX),
            engine: std::ptr::null(),
            adapter: std::ptr::null(),
            coherence: settings.coherence.into(),
        };
        // SAFETY: NULL or room for a structure, as the header says.
        unsafe { raw::put("config", config, value) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctm_open(
    config: *const CtmConfig,
    info: *mut AMmanagedDeviceInfo,
) -> Handle {
    call(std::ptr::null_mut(), || {
        let mut settings = Settings::from_environment()?;
        // SAFETY: NULL or a structure, and strings in it, as the header says.
        unsafe {
            if !config.is_null() {
                take(&mut settings, config)?;
            }
            open(&settings, info)
        }
    })
}

/// Applies a client's configuration. Safety: a structure with strings or NULL in it.
unsafe fn take(settings: &mut Settings, config: *const CtmConfig) -> Result<(), CallError> {
    // The size is the first member, so that a structure of another version can be recognised.
    // SAFETY: the caller guarantees it.
    let found = unsafe { raw::values("config", config.cast::<u32>(), 1)? };
    let expected = size_of::<CtmConfig>() as u32;
    if found != [expected] {
        let found = found.first().copied().unwrap_or_default();
        let expected = format!("{expected}, which ctm_config_init sets");
        return Err(CallError::setting("ctm_config.structSize", found, &expected));
    }
    // SAFETY: it has the right size.
    let config = unsafe { config.read_unaligned() };
    let mode = FloatMode::ALL.into_iter().find(|&mode| mode as u32 == config.float_mode);
    settings.mode = mode.ok_or_else(|| {
        let expected = "CTM_FLOAT_EXACT, CTM_FLOAT_FAST or CTM_FLOAT_CHIP";
        CallError::setting("ctm_config.floatMode", config.float_mode, expected)
    })?;
    settings.statistics = config.statistics != 0;
    settings.coherence = config.coherence != 0;
    settings.limits.instructions = config.instruction_limit.into();
    settings.arenas.gpu = config.arena_size_gpu.into();
    settings.arenas.gpub = config.arena_size_gpub.into();
    settings.arenas.sys = config.arena_size_sys.into();
    settings.arenas.sysc = config.arena_size_sysc.into();
    // SAFETY: NULL or strings.
    unsafe {
        if let Some(name) = raw::text("engine", config.engine)? {
            settings.engine = name;
        }
        if let Some(adapter) = raw::text("adapter", config.adapter)? {
            settings.adapter = Some(adapter);
        }
    }
    Ok(())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctm_record(file: *const c_char) -> c_int {
    done(|| {
        // SAFETY: NULL or a string, as the header says.
        recordings::choose(unsafe { raw::text("file", file)? })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctm_device_info(device: Handle, info: *mut AMmanagedDeviceInfo) -> c_int {
    done(|| {
        let connection = connection(device)?;
        // SAFETY: NULL or room for a structure, as the header says.
        unsafe { raw::put("info", info, describe(&connection)) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctm_device_engine(device: Handle, text: *mut c_char, size: u32) -> u32 {
    call(0, || {
        let connection = connection(device)?;
        let engine = connection.device.engine();
        // SAFETY: NULL or room for `size` bytes, as the header says.
        Ok(unsafe { raw::put_text(text, size, engine.name()) })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctm_device_adapter(device: Handle, text: *mut c_char, size: u32) -> u32 {
    call(0, || {
        let connection = connection(device)?;
        let adapter = connection.device.engine().adapter().unwrap_or_default();
        // SAFETY: NULL or room for `size` bytes, as the header says.
        Ok(unsafe { raw::put_text(text, size, &adapter) })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctm_submit_words(device: Handle, words: *const u32, count: u32) -> u32 {
    call(0, || {
        let connection = connection(device)?;
        // SAFETY: NULL or `count` words, as the header says.
        let words = unsafe { raw::values("words", words, count as usize)? };
        Ok(connection::short(connection.device.submit_words(words)))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn ctm_status(device: Handle, id: u32) -> u32 {
    call(Status::Refused, || connection(device)?.status(id)) as u32
}

#[unsafe(no_mangle)]
pub extern "C" fn ctm_cancel(device: Handle, id: u32) -> c_int {
    done(|| connection(device)?.cancel(id))
}

#[unsafe(no_mangle)]
pub extern "C" fn ctm_wait(device: Handle, id: u32) -> u32 {
    let wait = || {
        let connection = connection(device)?;
        let id = connection.id(id)?;
        let report = match connection.device.wait(id) {
            Err(crate::device::WaitError::Forgotten { .. }) => return Ok(Status::Forgotten),
            other => other?,
        };
        report_problem(id, &report);
        Ok(report::status(&report))
    };
    call(Status::Refused, wait) as u32
}

fn report_problem(id: SubmitId, report: &crate::device::SubmissionReport) {
    if let Some(problem) = report::problem(id, report) {
        error::set(&problem);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn ctm_wait_idle(device: Handle) -> c_int {
    done(|| {
        let connection = connection(device)?;
        if let Some(last) = SubmitId::new(connection.device.issued()) {
            connection.device.wait(last)?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctm_message(device: Handle, id: u32, text: *mut c_char, size: u32) -> u32 {
    call(0, || {
        let (_, report) = connection(device)?.wait(id)?;
        // SAFETY: NULL or room for `size` bytes, as the header says.
        Ok(unsafe { raw::put_text(text, size, &report::text(&report)) })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctm_get_statistics(
    device: Handle,
    id: u32,
    statistics: *mut CtmStatistics,
) -> c_int {
    done(|| {
        let (_, report) = connection(device)?.wait(id)?;
        let Some(counted) = &report.statistics else {
            let none = "no statistics were kept; open the device with statistics";
            return Err(CallError(format!("submission {id}: {none}")));
        };
        let value = CtmStatistics::new(report.launches, counted);
        // SAFETY: NULL or room for a structure, as the header says.
        unsafe { raw::put("statistics", statistics, value) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctm_read(
    device: Handle,
    address: u32,
    to: *mut c_void,
    size: u32,
) -> c_int {
    done(|| {
        let connection = connection(device)?;
        connection.check(address, size)?;
        let mut bytes = Vec::new();
        let size = size as usize;
        bytes.try_reserve_exact(size).map_err(|_| CallError::host_memory(size))?;
        bytes.resize(size, 0);
        connection.device.read_memory(address, &mut bytes)?;
        // SAFETY: NULL or room for `size` bytes, as the header says.
        unsafe { raw::put_bytes("to", to, &bytes) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctm_write(
    device: Handle,
    address: u32,
    from: *const c_void,
    size: u32,
) -> c_int {
    done(|| {
        let connection = connection(device)?;
        connection.check(address, size)?;
        // SAFETY: NULL or `size` bytes, as the header says.
        let bytes = unsafe { raw::values("from", from.cast::<u8>(), size as usize)? };
        Ok(connection.device.write_memory(address, &bytes)?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctm_free(memory: *mut c_void) {
    // SAFETY: NULL or memory from this library, as the header says.
    unsafe { raw::release(memory) };
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctm_free_constants(info: *mut AMUabiConstsInfo) {
    call((), || {
        if info.is_null() {
            return Err(CallError::null("info"));
        }
        // SAFETY: not NULL, and filled by amuABIExtractConstants.
        unsafe {
            raw::release(info.read_unaligned().user_consts.cast());
            info.write_unaligned(consts::NONE);
        }
        Ok(())
    });
}
