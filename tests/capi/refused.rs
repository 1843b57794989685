//! What the C interface leaves behind and says when it refuses.

use crate::compiler;
use std::ffi::{CStr, CString, c_void};
use std::ptr::{null, null_mut};

use crate::c::*;

/// A call with another macro or entry point than usual, and its error.
fn refused(compiler: Handle, name: &CStr, entry: &CStr, source: &str) -> String {
    logged();
    let macros = [
        AMUcompMacro { name: name.as_ptr(), value: null() },
        AMUcompMacro { name: null(), value: null() },
    ];
    let text = CString::new(source).expect("no zero in it");
    // What an uninitialised client has there.
    let (mut size, mut binary) = (7, std::ptr::dangling_mut::<c_void>());
    // SAFETY: all pointers are to what they should be.
    let done = unsafe {
        amuCompCompile(
            compiler,
            text.as_ptr(),
            source.len() as u32,
            macros.as_ptr(),
            null(),
            entry.as_ptr(),
            &mut size,
            &mut binary,
            Some(log),
        )
    };
    let error = last_error();
    assert_eq!((done, size, binary), (0, 0, null_mut()), "{error}");
    assert_eq!(logged(), format!("{}\n", error.trim_end()));
    error
}

#[test]
fn every_refusal_empties_the_results_and_tells_the_log() {
    // SAFETY: nothing is asked of the caller.
    let compiler = unsafe { amuCompOpenCompiler() };
    let (ps, main) = (c"AMU_LANG_PS3", c"main");
    assert_eq!(
        refused(compiler, c"DEBUG", main, "ps_3_0"),
        "amuCompCompile: none of the macros AMU_LANG_PS3 and CTM_LANG_ASM is given"
    );
    assert_eq!(
        refused(compiler, ps, c"other", "ps_3_0"),
        "amuCompCompile: the entry point is \"other\", expected \"main\""
    );
    assert_eq!(
        refused(null_mut(), ps, main, "ps_3_0"),
        "compiler handle 0x0: no compiler with this handle is open"
    );
    let error = refused(compiler, ps, main, "ps_3_0\ncall l4096\n");
    assert!(
        error.starts_with("Error: l4096 does not exist: there are 2048 labels, l0 to l2047\n"),
        "{error}"
    );
    // SAFETY: handles may be anything.
    unsafe { amuCompCloseCompiler(compiler) };
    let error = refused(compiler, ps, main, "ps_3_0");
    assert!(error.ends_with("no compiler with this handle is open"), "{error}");
}

#[test]
fn labels_too_large_for_a_number_are_not_all_the_same() {
    let source = "ps_3_0\ncall l99999999999\nmov oC0, c0\nret\nlabel l88888888888\nret\n";
    let errors = ctm::ps::compile(source, "x.ps").expect_err("there are no such labels");
    let messages: Vec<&str> = errors.errors().iter().map(|e| e.message.as_str()).collect();
    let expected = "this number does not exist: there are 2048 labels, l0 to l2047";
    assert_eq!(messages, [expected; 2]);
}

/// A client without a name of `ctm.h`: what is wrong, only the log can tell.
const CLIENT: &str = "#include <stdio.h>\n#include \"amDeviceManaged.h\"\n\
    int main(void) {\n\
    AMmanagedDevice device = amOpenManagedConnection(\"/dev/pcie9\", NULL);\n\
    puts(device == NULL ? \"refused\" : \"open\");\n\
    return 0;\n}\n";

#[test]
fn the_log_goes_to_standard_error_and_may_go_nowhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("client.c");
    std::fs::write(&source, CLIENT).expect("a file of the test's own");
    let client = compiler::build(compiler::Language::C99, &source, folder.path(), &[]);
    for (log, expected) in
        [("0", ""), ("1", "ctm: device \"/dev/pcie9\": there is one board, \"/dev/pcie0\"\n")]
    {
        let output = compiler::run(&client, &[], &[("CTM_LOG", log)]);
        assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
        assert_eq!(String::from_utf8_lossy(&output.stdout), "refused\n");
    }
    // A device that takes nothing, where there is one.
    if let Ok(full) = std::fs::File::options().write(true).open("/dev/full") {
        let output = std::process::Command::new(&client)
            .env("CTM_LOG", "1")
            .env(compiler::LIBRARY_PATH, compiler::libraries())
            .stderr(full)
            .output()
            .expect("it runs");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "refused\n");
        assert!(output.status.success(), "{}", output.status);
    }
}
