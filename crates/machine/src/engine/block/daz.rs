//! Products and sums of mode `exact` as x86 computes them with MXCSR.DAZ.
//!
//! With DAZ, and without FTZ, an operand that is denormal counts as the zero of its sign, and a
//! result keeps its bits. So a product needs no flush before it is added, and `x + -0` is x, flushed.
//! A result that only kernels read can stay as it comes: [`super::loose`].
//!
//! Rust's own floats assume the default environment. Therefore all arithmetic of a run of operations is
//! one block of assembly, from the instruction that sets DAZ to the one that takes it back: that is the
//! measured reason for the `unsafe` code of this file (chains of MADs at twice the speed with
//! AVX-512, at 4 times with AVX2). Both instructions together take 4 ns. With a `stmxcsr` before them they
//! take 50 to 80, so the environment is read once for a band. A run may have kernels of all kinds: if loose
//! and settled ones ended each other's runs, the ends would cost more than the flushes that are left out.
//!
//! ARM's FZ flushes results, too, before they are rounded, so it cannot be used.

use ctm_isa::ops::{Calc, is_set};

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{can_run, environment, run};

#[cfg(not(target_arch = "x86_64"))]
pub(super) use none::{can_run, environment, run};

/// The operations that have a kernel. Its operands may be denormals and NaNs of any form.
const KERNELS: [Calc; 4] = [Calc::Mad, Calc::Mul, Calc::Add, Calc::Product];

/// The bit of a kernel's number that lets its result be a denormal in the place of a zero, and a NaN of
/// any form.
pub(super) const LOOSE: u16 = 1;

/// The bit that negates the product, of ADD the first operand.
const MINUS: u16 = 2;

/// The bit that negates what is added: the last operand of MAD and ADD.
const LESS: u16 = 4;

/// The position of an operation's index in [`KERNELS`], above these bits.
const OF: u32 = 3;

/// The number of the kernel of an operation of mode `exact`, if it has one. The rule that 0 times anything
/// is 0 has none. Its operands' negations are a part of it.
pub(super) fn kernel(calc: Calc, aux: u16, negated: [bool; 4]) -> Option<u16> {
    if is_set(aux) {
        return None;
    }
    let n = KERNELS.iter().position(|&of| of == calc)?;
    let [a, b, c, _] = negated;
    let (minus, less) = if calc == Calc::Add { (a, b) } else { (a != b, calc == Calc::Mad && c) };
    let signs = if minus { MINUS } else { 0 } | if less { LESS } else { 0 };
    Some((n as u16) << OF | signs)
}

#[cfg(not(target_arch = "x86_64"))]
mod none {
    use super::super::code::Code;
    use super::super::rows::Row;

    pub fn can_run() -> bool {
        false
    }

    pub fn environment() -> u32 {
        0
    }

    /// Not called: no operation has a kernel.
    pub fn run(_: &mut [Row], _: &[Code], _: Option<&Row>, _: u32) {}
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::super::code::Code;
    use super::super::rows::Row;
    use super::{KERNELS, OF};
    use ctm_isa::float::{CANONICAL_NAN, SIGN};
    use std::arch::asm;
    use std::mem::{offset_of, size_of};

    /// Whether this processor has what kernels need.
    pub fn can_run() -> bool {
        is_x86_feature_detected!("avx")
    }

    /// Whether it has vectors of sixteen lanes.
    fn is_wide() -> bool {
        is_x86_feature_detected!("avx512f")
    }

    /// The MXCSR of this thread.
    pub fn environment() -> u32 {
        let mut value = 0u32;
        // SAFETY: it writes `value`.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut value, options(nostack)) };
        value
    }

    /// -0, the one NaN, and an MXCSR with DAZ: no exception traps, rounding to nearest.
    static NUMBERS: [u32; 3] = [SIGN, CANONICAL_NAN, 0x1fc0];

    /// A step of a kernel, on register 0 of the vectors `v` (ymm or zmm), at a place of the rows. It may use
    /// register 1. Register 13 is 0, 14 -0. `x - y` is `x + -y` in all its bits but those of a NaN.
    macro_rules! line {
        (mul_b, $nan:literal) => {
            "vmulps \\v\\()0, \\v\\()0, [r9 + \\at]"
        };
        (add_b, $nan:literal) => {
            "vaddps \\v\\()0, \\v\\()0, [r9 + \\at]"
        };
        (sub_b, $nan:literal) => {
            "vsubps \\v\\()0, \\v\\()0, [r9 + \\at]"
        };
        (from_b, $nan:literal) => {
            "vmovaps \\v\\()1, [r9 + \\at]\nvsubps \\v\\()0, \\v\\()1, \\v\\()0"
        };
        (add_c, $nan:literal) => {
            "vaddps \\v\\()0, \\v\\()0, [r10 + \\at]"
        };
        (sub_c, $nan:literal) => {
            "vsubps \\v\\()0, \\v\\()0, [r10 + \\at]"
        };
        (from_c, $nan:literal) => {
            "vmovaps \\v\\()1, [r10 + \\at]\nvsubps \\v\\()0, \\v\\()1, \\v\\()0"
        };
        (add_0, $nan:literal) => {
            "vaddps \\v\\()0, \\v\\()0, \\v\\()13"
        };
        (from_0, $nan:literal) => {
            "vsubps \\v\\()0, \\v\\()13, \\v\\()0"
        };
        (negate, $nan:literal) => {
            "vsubps \\v\\()0, \\v\\()14, \\v\\()0"
        };
        (flush, $nan:literal) => {
            "vaddps \\v\\()0, \\v\\()0, \\v\\()14"
        };
        (nan, $nan:literal) => {
            $nan
        };
    }

    /// The block of assembly that computes a run: for every operation, and for every vector of its rows,
    /// its kernel's lines ([`line`]), from the first operand to the result. `nan` makes NaNs the one NaN,
    /// `store` stores the result. They may use registers 1 and 2, and k1; register 15 is the NaN. A row is
    /// at rdi + 256 times its number; r8 to r11 are the rows of a, b, c and the result, r12 that of the
    /// mask. After a label each kernel is settled, then loose. The table has their labels by number.
    macro_rules! block {
        ($rows:ident, $run:ident, $mask:expr, $environment:ident, $v:literal, $ats:literal,
         $nan:literal, $store:literal) => {
            block!(
                @with ($rows, $run, $mask, $environment, $v, $ats, $nan, $store)
                // MAD: as it is; with its product negated, its last operand, both.
                "20": mul_b add_c flush nan;
                "21": mul_b add_c;
                "22": mul_b from_c flush nan;
                "23": mul_b from_c;
                "24": mul_b sub_c flush nan;
                "25": mul_b sub_c;
                "26": mul_b negate sub_c flush nan;
                "27": mul_b negate sub_c;
                // MUL: as it is, negated.
                "28": mul_b add_0 nan;
                "29": mul_b add_0;
                "30": mul_b from_0 nan;
                "31": mul_b from_0;
                // ADD: as it is; with its first operand negated, its second, both.
                "32": add_b flush nan;
                "33": add_b;
                "34": from_b flush nan;
                "35": from_b;
                "36": sub_b flush nan;
                "37": sub_b;
                "38": negate sub_b flush nan;
                "39": negate sub_b;
                // A product: as it is, negated.
                "40": mul_b flush;
                "41": mul_b;
                "42": mul_b negate;
            )
        };
        (@with ($rows:ident, $run:ident, $mask:expr, $environment:ident, $v:literal, $ats:literal,
         $nan:literal, $store:literal) $($number:literal: $($line:ident)*;)*) => {
            asm!(
                concat!(".irp v, ", $v),
                "ldmxcsr [rax + 8]",
                "vbroadcastss \\v\\()14, [rax]",
                "vbroadcastss \\v\\()15, [rax + 4]",
                "vxorps xmm13, xmm13, xmm13",
                "lea r14, [rip + 3f]",
                "2:",
                "mov r8d, [rsi + {src}]",
                "mov r9d, [rsi + {src} + 4]",
                "mov r10d, [rsi + {src} + 8]",
                "mov r11d, [rsi + {dst}]",
                "movzx r13d, word ptr [rsi + {aux}]",
                "shl r8, 8",
                "shl r9, 8",
                "shl r10, 8",
                "shl r11, 8",
                "movsxd r13, dword ptr [r14 + 4 * r13]",
                "add r8, rdi",
                "add r9, rdi",
                "add r10, rdi",
                "add r11, rdi",
                "add rsi, {size}",
                "add r13, r14",
                "jmp r13",
                ".balign 4",
                "3:",
                ".long 20f - 3b, 21f - 3b, 22f - 3b, 23f - 3b, 24f - 3b, 25f - 3b, 26f - 3b, 27f - 3b",
                ".long 28f - 3b, 29f - 3b, 30f - 3b, 31f - 3b, 28f - 3b, 29f - 3b, 30f - 3b, 31f - 3b",
                ".long 32f - 3b, 33f - 3b, 34f - 3b, 35f - 3b, 36f - 3b, 37f - 3b, 38f - 3b, 39f - 3b",
                ".long 40f - 3b, 41f - 3b, 42f - 3b, 42f - 3b, 40f - 3b, 41f - 3b, 42f - 3b, 42f - 3b",
                $(
                    concat!($number, ":"),
                    concat!(".irp at, ", $ats),
                    "vmovaps \\v\\()0, [r8 + \\at]",
                    $(line!($line, $nan),)*
                    $store,
                    ".endr",
                    "dec rcx",
                    "jnz 2b",
                    "jmp 4f",
                )*
                "4:",
                "ldmxcsr [rdx]",
                "vzeroupper",
                ".endr",
                in("rax") NUMBERS.as_ptr(),
                inout("rcx") $run.len() => _,
                in("rdx") &raw const $environment,
                inout("rsi") $run.as_ptr() => _,
                in("rdi") $rows.as_mut_ptr(),
                in("r12") $mask,
                out("r8") _,
                out("r9") _,
                out("r10") _,
                out("r11") _,
                out("r13") _,
                out("r14") _,
                aux = const offset_of!(Code, aux),
                src = const offset_of!(Code, src),
                dst = const offset_of!(Code, dst),
                size = const size_of::<Code>(),
                clobber_abi("sysv64"),
                options(nostack),
            )
        };
    }

    /// Computes a run of operations that have kernels; in masked lanes only, if there is a mask.
    /// `environment` is the MXCSR of this thread.
    ///
    /// Not inlined: a caller with more features may hold values in registers that only calls give up.
    #[inline(never)]
    pub fn run(rows: &mut [Row], run: &[Code], mask: Option<&Row>, environment: u32) {
        let wide = is_wide();
        in_vectors(wide, rows, run, mask, environment);
    }

    /// [`run`], in vectors of sixteen lanes, if the processor has them, or eight.
    fn in_vectors(
        wide: bool,
        rows: &mut [Row],
        run: &[Code],
        mask: Option<&Row>,
        environment: u32,
    ) {
        let exists = |row: u32| (row as usize) < rows.len();
        let numbers = (KERNELS.len() as u16) << OF;
        let is_whole = |code: &Code| {
            code.aux < numbers && exists(code.dst) && code.src.iter().all(|&row| exists(row))
        };
        assert!(can_run() && (!wide || is_wide()), "vectors that the processor does not have");
        assert!(run.iter().all(is_whole), "a kernel or a row that the machine does not have");
        if run.is_empty() {
            return;
        }
        // SAFETY: the processor has the vectors, all kernels and rows that the operations name exist, and
        // there is an operation. The block touches the operations and the rows, and restores MXCSR.
        unsafe {
            match (wide, mask) {
                (false, None) => block!(
                    rows,
                    run,
                    rows.as_ptr(),
                    environment,
                    "ymm",
                    "0, 32, 64, 96, 128, 160, 192, 224",
                    "vcmpunordps ymm1, ymm0, ymm0\nvblendvps ymm0, ymm0, ymm15, ymm1",
                    "vmovaps [r11 + \\at], ymm0"
                ),
                (false, Some(mask)) => block!(
                    rows,
                    run,
                    mask,
                    environment,
                    "ymm",
                    "0, 32, 64, 96, 128, 160, 192, 224",
                    "vcmpunordps ymm1, ymm0, ymm0\nvblendvps ymm0, ymm0, ymm15, ymm1",
                    "vmovaps ymm1, [r11 + \\at]\nvmovaps ymm2, [r12 + \\at]\n\
                     vblendvps ymm0, ymm1, ymm0, ymm2\nvmovaps [r11 + \\at], ymm0"
                ),
                (true, None) => block!(
                    rows,
                    run,
                    rows.as_ptr(),
                    environment,
                    "zmm",
                    "0, 64, 128, 192",
                    "vcmpunordps k1, zmm0, zmm0\nvmovaps zmm0{{k1}}, zmm15",
                    "vmovaps [r11 + \\at], zmm0"
                ),
                (true, Some(mask)) => block!(
                    rows,
                    run,
                    mask,
                    environment,
                    "zmm",
                    "0, 64, 128, 192",
                    "vcmpunordps k1, zmm0, zmm0\nvmovaps zmm0{{k1}}, zmm15",
                    "vmovdqa32 zmm1, [r12 + \\at]\nvptestmd k1, zmm1, zmm1\n\
                     vmovaps [r11 + \\at]{{k1}}, zmm0"
                ),
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::super::super::code::Step;
        use super::super::{LESS, LOOSE, MINUS};
        use super::*;
        use crate::lower::Write;
        use ctm_base::random::Random;
        use ctm_isa::float::ftz;
        use ctm_isa::ops::Calc;
        use std::array;

        /// Borders, denormals, Inf, NaNs, neighbours of the least normal number, and random patterns.
        fn number(random: &mut Random) -> u32 {
            const BORDERS: [u32; 16] = [
                0,
                1,
                0x007f_ffff,
                0x0080_0000,
                0x0080_0001,
                0x3f7f_ffff,
                0x3f80_0000,
                0x4b80_0000,
                0x7f7f_ffff,
                0x7f80_0000,
                0x7f80_0001,
                0x7fff_ffff,
                0x3f00_0000,
                0x2000_0000,
                0x1fff_ffff,
                0x0040_0000,
            ];
            let bits = random.bits();
            let exponent = |n: u32| bits & 0x807f_ffff | n << 23;
            match random.below(4) {
                0 => BORDERS[random.below(16) as usize] | bits & SIGN,
                // Products of these lie about 2^-126.
                1 => exponent(62 + random.below(4)),
                2 => exponent(random.below(4)),
                _ => bits,
            }
        }

        #[test]
        fn kernels_give_the_bits_of_the_float_model() {
            const SEED: u64 = 0xda2;
            println!("seed {SEED:#x}");
            let mut random = Random::new(&[SEED]);
            let before = environment();
            if !can_run() {
                println!("no AVX");
                return;
            }
            let one_nan = |x: u32| if f32::from_bits(x).is_nan() { CANONICAL_NAN } else { x };
            for round in 0..4000 {
                let mut rows = vec![Row::ZERO; 8];
                for row in &mut rows {
                    row.0.as_flattened_mut().fill_with(|| number(&mut random));
                }
                // The second operation reads what the first one writes; the third writes what it reads.
                let mut code = |dst: u32, src: [u32; 4]| Code {
                    step: Step::Kernel,
                    write: Write::All,
                    run: 1,
                    in_place: false,
                    aux: random.below((KERNELS.len() as u32) << OF) as u16,
                    pc: 0,
                    dst,
                    src,
                };
                let run = [code(4, [0, 1, 2, 0]), code(5, [4, 3, 6, 0]), code(6, [6, 5, 6, 0])];
                let mask =
                    Row::from_mask(u64::from(random.bits()) << 32 | u64::from(random.bits()));
                let mask = (round % 2 == 0).then_some(&mask);
                let mut want = rows.clone();
                for code in &run {
                    let kernel = KERNELS[code.aux as usize >> OF];
                    let signs = |bit: u16| if code.aux & bit != 0 { SIGN } else { 0 };
                    let (minus, less) = (signs(MINUS), signs(LESS));
                    let flips = match kernel {
                        Calc::Add => [minus, less, 0, 0],
                        _ => [minus, 0, less, 0],
                    };
                    for lane in (0..64).filter(|&n| mask.is_none_or(|m| m.get(n) != 0)) {
                        let operands = code.src.map(|row| want[row as usize].get(lane));
                        let operands = array::from_fn(|n| operands[n] ^ flips[n]);
                        want[code.dst as usize].set(lane, (kernel.facts().exact)(operands, 0));
                    }
                }
                let wide = is_wide() && round % 4 < 2;
                in_vectors(wide, &mut rows, &run, mask, before);
                for code in &run {
                    let [got, want] = [&rows, &want].map(|rows| &rows[code.dst as usize]);
                    let kernel = KERNELS[code.aux as usize >> OF];
                    let loose = code.aux & LOOSE != 0;
                    for lane in 0..64 {
                        let (mut got, mut want) = (got.get(lane), want.get(lane));
                        // The NaN of a product may have any form.
                        if loose || kernel == Calc::Product {
                            (got, want) = (one_nan(got), one_nan(want));
                        }
                        if loose {
                            (got, want) = (ftz(got), ftz(want));
                        }
                        assert_eq!(got, want, "{kernel:?}, loose {loose} {got:08x} {want:08x}");
                    }
                }
            }
            assert_eq!(environment() & !0x3f, before & !0x3f, "the control bits are as they were");
        }
    }
}
