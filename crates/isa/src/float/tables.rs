//! Polynomial coefficients of the transcendentals, lowest power first.
//!
//! Made by `cargo run --example float_tables`; do not edit.

/// 1 / m, 1 <= m <= 2.
pub const RCP: [u32; 3] = [
    0x4007_c1f0, // 2.121212e0
    0xbfba_2e8c, // -1.4545455e0
    0x3ea5_7eb5, // 3.2323232e-1
];

/// 1 / sqrt(m), 1 <= m <= 2.
pub const RSQ: [u32; 4] = [
    0x3feb_1887, // 1.836686e0
    0xbfa3_383a, // -1.2751534e0
    0x3f05_4f1a, // 5.2073824e-1
    0xbda9_9ab6, // -8.281462e-2
];

/// (2^f - 1) / f, |f| <= 1/2.
pub const EX2: [u32; 6] = [
    0x3f31_7218, // 6.931472e-1
    0x3e75_fdf0, // 2.402265e-1
    0x3d63_57b6, // 5.550357e-2
    0x3c1d_952a, // 9.618083e-3
    0x3aaf_8448, // 1.3390863e-3
    0x3922_09c5, // 1.5453163e-4
];

/// log2(1 + t) / t, sqrt(1/2) <= 1 + t <= sqrt(2).
pub const LN2: [u32; 10] = [
    0x3fb8_aa3b, // 1.442695e0
    0xbf38_aa38, // -7.2134733e-1
    0x3ef6_3855, // 4.8089853e-1
    0xbeb8_ad38, // -3.6069655e-1
    0x3e93_bd29, // 2.8855255e-1
    0xbe75_5bd5, // -2.3960812e-1
    0x3e51_c634, // 2.0485765e-1
    0xbe43_fb51, // -1.9138838e-1
    0x3e3d_31d0, // 1.8476033e-1
    0xbddc_27db, // -1.0749789e-1
];

/// (sin(pi/2 u) / u - 1) / (1 - u^2) in powers of u^2, 0 <= u <= 1.
pub const SIN: [u32; 4] = [
    0x3f12_1fb5, // 5.707963e-1
    0xbd99_f11c, // -7.516691e-2
    0x3b94_2123, // 4.520552e-3
    0xb91d_4032, // -1.4996601e-4
];
