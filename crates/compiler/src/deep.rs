//! A stack for recursion: naga's parser is recursive.

/// Runs `work` on a thread with a stack of `bytes`.
///
/// # Errors
/// There is no thread to run it on.
#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
pub fn on_stack<T: Send>(
    bytes: usize,
    work: impl FnOnce() -> T + Send,
) -> std::io::Result<std::thread::Result<T>> {
    let thread = std::thread::Builder::new().name("compile".into()).stack_size(bytes);
    std::thread::scope(|scope| Ok(thread.spawn_scoped(scope, work)?.join()))
}

/// Runs `work`. A browser has no such thread; where its stack ends, it ends the module, which the page survives.
///
/// # Errors
/// None.
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
pub fn on_stack<T: Send>(
    _bytes: usize,
    work: impl FnOnce() -> T + Send,
) -> std::io::Result<std::thread::Result<T>> {
    Ok(Ok(work()))
}
