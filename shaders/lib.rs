//! The WGSL texts. docs/interpreter.md explains how shaders are put together from them.

/// Defines a constant for each file, and a list of all files.
macro_rules! files {
    ($($NAME:ident $file:literal;)*) => {
        $(
            #[doc = concat!("`shaders/", $file, ".wgsl`.")]
            pub const $NAME: &str = include_str!(concat!($file, ".wgsl"));
        )*
        /// All files.
        pub const FILES: &[&str] = &[$($NAME),*];
    };
}

files! {
    CONSTANTS "constants";
    FLOAT "float";
    FAST "float_fast";
    GUARDS1 "float_guards1";
    GUARDS2 "float_guards2";
    HOST "float_host";
    INTEGERS "float_integers";
    SEEDED "float_seeded";
    TABLES "float_tables";
    GROUP "group";
    INTERPRETER "interpreter";
    INTERPRETER_GROUP "interpreter_group";
    INTERPRETER_POINTS "interpreter_points";
    INTERPRETER_SLICES "interpreter_slices";
    LAUNCH "launch";
    MEMORY "memory";
    OPERATIONS_STORAGE "operations_storage";
    OPERATIONS_UNIFORM "operations_uniform";
    REGISTERS_BUFFER "registers_buffer";
    REGISTERS_PRIVATE "registers_private";
    REGISTERS_WORKGROUP "registers_workgroup";
    TRANSLATED "translated";
}
