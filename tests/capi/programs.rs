//! Programs in the C interface: sources become executables, executables tell their constants.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};

use crate::c::*;

#[test]
fn sources_become_executables_and_errors_are_told() {
    let compile = |compiler: Handle, source: &str, macros: &[(&CStr, &CStr)], entry: &CStr| {
        let mut list: Vec<AMUcompMacro> = macros
            .iter()
            .map(|(name, value)| AMUcompMacro { name: name.as_ptr(), value: value.as_ptr() })
            .collect();
        list.push(AMUcompMacro { name: null(), value: null() });
        let (mut size, mut binary) = (7, 8 as *mut c_void);
        // SAFETY: the source has that length, and all else is alive.
        unsafe {
            let done = amuCompCompile(
                compiler,
                source.as_ptr().cast(),
                source.len() as u32,
                list.as_ptr(),
                null(),
                entry.as_ptr(),
                &mut size,
                &mut binary,
                Some(log),
            );
            if done == 1 {
                assert!(size > 100);
                amuAsmDisassemble(binary, Some(log));
                ctm_free(binary);
            }
            (done, last_error())
        }
    };
    // SAFETY: no arguments.
    let compiler = unsafe { amuCompOpenCompiler() };
    let asm = [(c"OTHER", c"x"), (c"CTM_LANG_ASM", c"1")];
    assert_eq!(compile(compiler, "mov o0, c0", &asm, c"main"), (1, String::new()));
    let text = logged();
    assert!(text.contains("mov o0, c0"), "{text}");
    // Warnings go to the log, and the executable is made all the same.
    let shader = "ps_3_0\ndefi i0, 3, 0, 1, 0\nloop aL, i0\nadd r0, r0, c[aL]\nendloop\n\
                  pow oC0, r0.x, r0.y\n";
    assert_eq!(compile(compiler, shader, &[(c"AMU_LANG_PS3", c"1")], c"main"), (1, String::new()));
    let text = logged();
    let warning = "source: warning: the shader addresses constants relative to aL, and c255 holds \
                   numbers of its instructions: data there would change them\n";
    assert!(text.starts_with(warning), "{text}");
    // Errors go to the log, line by line, and are the last error.
    let (done, error) = compile(compiler, "mov o0, c0\nmob r1, r2", &asm, c"main");
    assert_eq!((done, format!("{}\n", error.trim_end())), (0, logged()));
    assert!(error.contains("source:2:1"), "{error}");
    assert_eq!(
        compile(compiler, "x", &[(c"OTHER", c"1")], c"main"),
        (0, "amuCompCompile: none of the macros AMU_LANG_PS3 and CTM_LANG_ASM is given".into())
    );
    assert_eq!(
        compile(compiler, "x", &asm, c"entry"),
        (0, "amuCompCompile: the entry point is \"entry\", expected \"main\"".into())
    );
    assert_eq!(compile(compiler, "\u{ff}", &asm, c"main").0, 0, "no name begins so");
    // SAFETY: handles may be anything.
    unsafe { amuCompCloseCompiler(compiler) };
    for handle in [compiler, null_mut(), 0x123 as Handle] {
        let error =
            format!("compiler handle {:#x}: no compiler with this handle is open", handle as usize);
        assert_eq!(compile(handle, "mov o0, c0", &asm, c"main"), (0, error.clone()));
        // SAFETY: handles may be anything.
        unsafe { amuCompCloseCompiler(handle) };
        assert_eq!(last_error(), error);
    }
    // SAFETY: NULL where something is needed.
    unsafe {
        let (mut size, mut binary) = (0, null_mut());
        let none = null_mut();
        assert_eq!(amuAsmAssemble(null(), 3, &mut size, &mut binary, None), 0);
        assert_eq!(last_error(), "source is NULL");
        let source: *const c_char = c"mov o0, c0".as_ptr();
        assert_eq!(amuAsmAssemble(source, 10, null_mut(), &mut binary, None), 0);
        assert_eq!(last_error(), "size is NULL");
        assert_eq!(amuAsmAssemble(source, 10, &mut size, none, None), 0);
        assert_eq!(last_error(), "binary is NULL");
        amuAsmDisassemble(null(), Some(log));
        assert_eq!(last_error(), "binary is NULL");
        ctm_free(null_mut());
    }
}

#[test]
fn constants_are_extracted_and_written() {
    let source = ".const gain c7\n.const steps n3\n.const flag b2\n\
                  .literal c4 0.25 0.5 -1 2\n.literal n2 10 1 -1\n.literal b5 1\n\
                  mul o0, c7, c4\n";
    let executable = assemble(source);
    // SAFETY: an executable; the arrays have the counts; areas have room for all constants.
    unsafe {
        let mut info = amuABIExtractConstants(executable.as_ptr().cast());
        let users = std::slice::from_raw_parts(info.user_consts, info.user_consts_count as usize);
        let users: Vec<(&str, u32, u32, u32)> = users
            .iter()
            .map(|user| {
                let name = CStr::from_ptr(user.name.str).to_str().expect("ASCII");
                (name, user.name.length, user.r#type, user.addr)
            })
            .collect();
        assert_eq!(users, [("gain", 4, 0, 7), ("steps", 5, 1, 3), ("flag", 4, 2, 2)]);
        let literals = std::slice::from_raw_parts(info.lit_consts, info.lit_consts_count as usize);
        let literals: Vec<(u32, u32, [u32; 4])> =
            literals.iter().map(|literal| (literal.r#type, literal.addr, literal.value)).collect();
        let floats = [0.25f32, 0.5, -1.0, 2.0].map(f32::to_bits);
        assert_eq!(literals, [(0, 4, floats), (1, 2, [10, 1, u32::MAX, 0]), (2, 5, [1, 0, 0, 0])]);
        let mut f = [9u32; 4 * 256];
        let mut i = [9u32; 32];
        let mut b = [9u32; 32];
        amuABISetLiteralConstants(
            info,
            f.as_mut_ptr().cast(),
            i.as_mut_ptr().cast(),
            b.as_mut_ptr().cast(),
        );
        assert_eq!(f[16..20], floats);
        assert_eq!((f[15], f[20]), (9, 9));
        assert_eq!(i[1..4], [9, u32::from_le_bytes([10, 1, 255, 0]), 9]);
        assert_eq!(b[4..7], [9, 1, 9]);
        // An area that is needed and is not there.
        amuABISetLiteralConstants(info, f.as_mut_ptr().cast(), null_mut(), null_mut());
        assert_eq!(last_error(), "the area of integer constants is NULL");
        ctm_free_constants(&mut info);
        assert!(info.user_consts.is_null() && info.user_consts_count == 0);
        ctm_free_constants(&mut info);
        ctm_free_constants(null_mut());
        assert_eq!(last_error(), "info is NULL");

        // No constants: any pointer will do for the areas.
        let plain = assemble("mov o0, r0");
        let info = amuABIExtractConstants(plain.as_ptr().cast());
        assert_eq!((info.user_consts_count, info.lit_consts_count), (0, 0));
        let wild = 0x10 as *mut c_void;
        amuABISetLiteralConstants(info, wild, wild, wild);
        assert_eq!(last_error(), "");
        // What is no executable.
        let info = amuABIExtractConstants([0u8; 64].as_ptr().cast());
        assert_eq!(info.lit_consts_count, 0);
        assert!(last_error().starts_with("not a valid executable: "));
        amuABIExtractConstants(null());
        assert_eq!(last_error(), "binary is NULL");
    }
}
