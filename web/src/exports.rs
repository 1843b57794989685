//! The functions of the module. A page calls `room` for the bytes of a request, writes them there, calls `call`, and
//! reads as many bytes of the answer as it returns at `answer`.

use crate::page::Page;
use std::cell::RefCell;

#[link(wasm_import_module = "ctm")]
unsafe extern "C" {
    /// Gets the message of a panic, at an address. The module cannot be used afterwards.
    safe fn failed(text: *const u8, length: usize);
}

#[derive(Default)]
struct Module {
    request: Vec<u8>,
    answer: Vec<u8>,
    page: Page,
}

thread_local! {
    static MODULE: RefCell<Module> = RefCell::default();
}

/// Room for a request of `length` bytes.
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    MODULE.with_borrow_mut(|module| {
        module.request = vec![0; length];
        module.request.as_mut_ptr()
    })
}

/// Answers the request. Returns the length of the answer in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn call() -> usize {
    std::panic::set_hook(Box::new(|info| {
        let text = info.to_string();
        failed(text.as_ptr(), text.len());
    }));
    MODULE.with_borrow_mut(|module| {
        module.answer = module.page.answer(&std::mem::take(&mut module.request));
        module.answer.len()
    })
}

/// The position of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    MODULE.with_borrow(|module| module.answer.as_ptr())
}
