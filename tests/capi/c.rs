//! The C interface as its clients see it, for tests in Rust.
#![allow(non_snake_case)]

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::null_mut;

pub use ctm::capi::types::*;

/// The library is linked even where only its exported names are used.
pub use ctm as _;

pub type Handle = *mut c_void;
pub type Log = Option<unsafe extern "C" fn(*const c_char)>;

unsafe extern "C" {
    pub fn amOpenManagedConnection(name: *const c_char, info: *mut AMmanagedDeviceInfo) -> Handle;
    pub fn amSubmitCommandBuffer(device: Handle, address: u32, size: u32) -> u32;
    pub fn amCommandBufferConsumed(device: Handle, id: u32) -> u32;
    pub fn amCloseManagedConnection(device: Handle);
    pub fn amuCompOpenCompiler() -> Handle;
    pub fn amuCompCloseCompiler(compiler: Handle);
    pub fn amuCompCompile(
        compiler: Handle,
        source: *const c_char,
        length: u32,
        macros: *const AMUcompMacro,
        options: *const c_void,
        entry: *const c_char,
        size: *mut u32,
        binary: *mut *mut c_void,
        log: Log,
    ) -> c_int;
    pub fn amuAsmAssemble(
        source: *const c_char,
        length: u32,
        size: *mut u32,
        binary: *mut *mut c_void,
        log: Log,
    ) -> c_int;
    pub fn amuAsmDisassemble(binary: *const c_void, log: Log);
    pub fn amuABIExtractConstants(binary: *const c_void) -> AMUabiConstsInfo;
    pub fn amuABISetLiteralConstants(
        info: AMUabiConstsInfo,
        floats: *mut c_void,
        ints: *mut c_void,
        bools: *mut c_void,
    );
    pub fn ctm_version() -> *const c_char;
    pub fn ctm_last_error() -> *const c_char;
    pub fn ctm_clear_error();
    pub fn ctm_engine_name(index: u32) -> *const c_char;
    pub fn ctm_config_init(config: *mut CtmConfig) -> c_int;
    pub fn ctm_open(config: *const CtmConfig, info: *mut AMmanagedDeviceInfo) -> Handle;
    pub fn ctm_device_info(device: Handle, info: *mut AMmanagedDeviceInfo) -> c_int;
    pub fn ctm_device_engine(device: Handle, text: *mut c_char, size: u32) -> u32;
    pub fn ctm_device_adapter(device: Handle, text: *mut c_char, size: u32) -> u32;
    pub fn ctm_submit_words(device: Handle, words: *const u32, count: u32) -> u32;
    pub fn ctm_status(device: Handle, id: u32) -> u32;
    pub fn ctm_cancel(device: Handle, id: u32) -> c_int;
    pub fn ctm_wait(device: Handle, id: u32) -> u32;
    pub fn ctm_wait_idle(device: Handle) -> c_int;
    pub fn ctm_message(device: Handle, id: u32, text: *mut c_char, size: u32) -> u32;
    pub fn ctm_get_statistics(device: Handle, id: u32, statistics: *mut CtmStatistics) -> c_int;
    pub fn ctm_read(device: Handle, address: u32, to: *mut c_void, size: u32) -> c_int;
    pub fn ctm_write(device: Handle, address: u32, from: *const c_void, size: u32) -> c_int;
    pub fn ctm_free(memory: *mut c_void);
    pub fn ctm_free_constants(info: *mut AMUabiConstsInfo);
}

/// The last error of this thread, which is forgotten then.
pub fn last_error() -> String {
    // SAFETY: the library gives a string.
    unsafe {
        let text = CStr::from_ptr(ctm_last_error()).to_string_lossy().into_owned();
        ctm_clear_error();
        text
    }
}

/// The codes of [`Status`].
pub fn status(status: Status) -> u32 {
    status as u32
}

/// An open device and the block of system memory behind it; closed when dropped.
pub struct Client {
    pub device: Handle,
    pub info: AMmanagedDeviceInfo,
}

impl Client {
    /// With arenas of the given sizes: GPU, SYSc.
    pub fn open(engine: &str, gpu: u32, sysc: u32, statistics: bool) -> Client {
        Client::with(engine, gpu, sysc, |config| config.statistics = statistics.into())
    }

    /// As `open`, with a limit of instructions.
    pub fn with_limit(engine: &str, gpu: u32, sysc: u32, limit: u32) -> Client {
        Client::with(engine, gpu, sysc, |config| config.instruction_limit = limit)
    }

    fn with(engine: &str, gpu: u32, sysc: u32, more: impl FnOnce(&mut CtmConfig)) -> Client {
        let engine = CString::new(engine).expect("no zero in it");
        let mut info = empty_info();
        // SAFETY: all structures are alive, and the name ends with a zero.
        let device = unsafe {
            let mut config = std::mem::zeroed();
            assert_eq!(ctm_config_init(&mut config), 1, "{}", last_error());
            config.engine = engine.as_ptr();
            config.arena_size_gpu = gpu;
            config.arena_size_sysc = sysc;
            more(&mut config);
            ctm_open(&config, &mut info)
        };
        assert!(!device.is_null(), "{}", last_error());
        Client { device, info }
    }

    /// The device address of a byte of system memory.
    pub fn sys(&self, offset: u32) -> u32 {
        self.info.base_address_sysc + offset
    }

    /// Writes system memory as a client does.
    pub fn poke(&self, offset: u32, bytes: &[u8]) {
        assert!(offset as usize + bytes.len() <= self.info.arena_size_sysc as usize);
        // SAFETY: inside the block, which lives as long as the device.
        unsafe {
            let to = self.info.base_address_cpuc.cast::<u8>().add(offset as usize);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len());
        }
    }

    pub fn poke_words(&self, offset: u32, words: &[u32]) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.poke(offset, &bytes);
    }

    /// Reads system memory as a client does.
    pub fn peek(&self, offset: u32) -> u32 {
        assert!(offset as usize + 4 <= self.info.arena_size_sysc as usize);
        let mut bytes = [0; 4];
        // SAFETY: inside the block, which lives as long as the device.
        unsafe {
            let from = self.info.base_address_cpuc.cast::<u8>().add(offset as usize);
            std::ptr::copy_nonoverlapping(from, bytes.as_mut_ptr(), 4);
        }
        u32::from_le_bytes(bytes)
    }

    /// Submits words that it writes at an offset of system memory.
    pub fn submit(&self, offset: u32, words: &[u32]) -> u32 {
        self.poke_words(offset, words);
        // SAFETY: handles may be anything.
        unsafe { amSubmitCommandBuffer(self.device, self.sys(offset), words.len() as u32) }
    }

    /// Spins as clients do.
    pub fn spin(&self, id: u32) {
        // SAFETY: handles and ids may be anything.
        while unsafe { amCommandBufferConsumed(self.device, id) } == 0 {
            std::hint::spin_loop();
        }
    }

    pub fn status(&self, id: u32) -> u32 {
        // SAFETY: handles and ids may be anything.
        unsafe { ctm_status(self.device, id) }
    }

    pub fn message(&self, id: u32) -> String {
        // SAFETY: the buffer is as large as it says.
        unsafe {
            let length = ctm_message(self.device, id, null_mut(), 0);
            let mut text = vec![0u8; length as usize + 1];
            assert_eq!(ctm_message(self.device, id, text.as_mut_ptr().cast(), length + 1), length);
            let text = CStr::from_bytes_with_nul(&text).expect("it ends with a zero");
            text.to_string_lossy().into_owned()
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // SAFETY: handles may be anything.
        unsafe { amCloseManagedConnection(self.device) };
    }
}

pub fn empty_info() -> AMmanagedDeviceInfo {
    // SAFETY: numbers and pointers, for which zero is a value.
    unsafe { std::mem::zeroed() }
}

thread_local! {
    static LOGGED: RefCell<String> = RefCell::default();
}

/// A log function; [`logged`] tells what it was told.
pub unsafe extern "C" fn log(message: *const c_char) {
    // SAFETY: the library gives a string.
    let text = unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned();
    LOGGED.with(|logged| logged.borrow_mut().push_str(&text));
}

/// The messages to [`log`] in this thread since the last time.
pub fn logged() -> String {
    LOGGED.with(|logged| std::mem::take(&mut *logged.borrow_mut()))
}

/// The executable of a source without errors.
pub fn assemble(source: &str) -> Vec<u8> {
    let (mut size, mut binary) = (0, null_mut());
    // SAFETY: the source has that length, and there is room for the results.
    unsafe {
        let done = amuAsmAssemble(
            source.as_ptr().cast(),
            source.len() as u32,
            &mut size,
            &mut binary,
            Some(log),
        );
        assert_eq!(done, 1, "{}", logged());
        let bytes = std::slice::from_raw_parts(binary.cast::<u8>(), size as usize).to_vec();
        ctm_free(binary);
        bytes
    }
}
