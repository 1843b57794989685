// Polynomial coefficients of the transcendentals; the number in a name is the power.
//
// Made by `cargo run --example float_tables`; do not edit.

// 1 / m, 1 <= m <= 2.
const TABLE_RCP_0: u32 = 0x4007c1f0u; // 2.121212e0
const TABLE_RCP_1: u32 = 0xbfba2e8cu; // -1.4545455e0
const TABLE_RCP_2: u32 = 0x3ea57eb5u; // 3.2323232e-1

// 1 / sqrt(m), 1 <= m <= 2.
const TABLE_RSQ_0: u32 = 0x3feb1887u; // 1.836686e0
const TABLE_RSQ_1: u32 = 0xbfa3383au; // -1.2751534e0
const TABLE_RSQ_2: u32 = 0x3f054f1au; // 5.2073824e-1
const TABLE_RSQ_3: u32 = 0xbda99ab6u; // -8.281462e-2

// (2^f - 1) / f, |f| <= 1/2.
const TABLE_EX2_0: u32 = 0x3f317218u; // 6.931472e-1
const TABLE_EX2_1: u32 = 0x3e75fdf0u; // 2.402265e-1
const TABLE_EX2_2: u32 = 0x3d6357b6u; // 5.550357e-2
const TABLE_EX2_3: u32 = 0x3c1d952au; // 9.618083e-3
const TABLE_EX2_4: u32 = 0x3aaf8448u; // 1.3390863e-3
const TABLE_EX2_5: u32 = 0x392209c5u; // 1.5453163e-4

// log2(1 + t) / t, sqrt(1/2) <= 1 + t <= sqrt(2).
const TABLE_LN2_0: u32 = 0x3fb8aa3bu; // 1.442695e0
const TABLE_LN2_1: u32 = 0xbf38aa38u; // -7.2134733e-1
const TABLE_LN2_2: u32 = 0x3ef63855u; // 4.8089853e-1
const TABLE_LN2_3: u32 = 0xbeb8ad38u; // -3.6069655e-1
const TABLE_LN2_4: u32 = 0x3e93bd29u; // 2.8855255e-1
const TABLE_LN2_5: u32 = 0xbe755bd5u; // -2.3960812e-1
const TABLE_LN2_6: u32 = 0x3e51c634u; // 2.0485765e-1
const TABLE_LN2_7: u32 = 0xbe43fb51u; // -1.9138838e-1
const TABLE_LN2_8: u32 = 0x3e3d31d0u; // 1.8476033e-1
const TABLE_LN2_9: u32 = 0xbddc27dbu; // -1.0749789e-1

// (sin(pi/2 u) / u - 1) / (1 - u^2) in powers of u^2, 0 <= u <= 1.
const TABLE_SIN_0: u32 = 0x3f121fb5u; // 5.707963e-1
const TABLE_SIN_1: u32 = 0xbd99f11cu; // -7.516691e-2
const TABLE_SIN_2: u32 = 0x3b942123u; // 4.520552e-3
const TABLE_SIN_3: u32 = 0xb91d4032u; // -1.4996601e-4
