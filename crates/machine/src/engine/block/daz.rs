//! Products and sums of mode `exact` as x86 computes them with MXCSR.DAZ.
//!
//! With DAZ, and without FTZ, an operand that is denormal counts as the zero of its sign, and a
//! result keeps its bits. So a product needs no flush before it is added, and `x + -0` is x, flushed.
//! A result that only kernels read can stay as it comes: [`super::loose`].
//!
//! Rust's own floats assume the default environment. Therefore all arithmetic of an operation is one
//! block of assembly, from the instruction that sets DAZ to the one that takes it back: that is the
//! measured reason for the `unsafe` code of this file (chains of MADs at twice the speed with
//! AVX-512, at 4 times with AVX2). Both instructions together take 4 ns. With a `stmxcsr` before them they
//! take 50 to 80, so the environment is read once for a band.
//!
//! ARM's FZ flushes results, too, before they are rounded, so it cannot be used.

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Kernel, can_run, environment, run};

#[cfg(not(target_arch = "x86_64"))]
pub(super) use none::{Kernel, can_run, environment, run};

#[cfg(not(target_arch = "x86_64"))]
mod none {
    use super::super::code::Code;
    use super::super::rows::Row;
    use ctm_isa::ops::Calc;

    /// An operation that has a kernel: none.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub enum Kernel {}

    impl Kernel {
        pub fn of(_: Calc, _: u16) -> Option<Kernel> {
            None
        }

        pub fn loosened(self) -> Kernel {
            self
        }
    }

    pub fn can_run() -> bool {
        false
    }

    pub fn environment() -> u32 {
        0
    }

    pub fn run(kernel: Kernel, _: &mut [Row], _: &[Code], _: Option<&Row>, _: u32) {
        match kernel {}
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::super::code::Code;
    use super::super::rows::Row;
    use ctm_isa::float::{CANONICAL_NAN, SIGN};
    use ctm_isa::ops::{Calc, is_set};
    use std::arch::asm;
    use std::mem::{offset_of, size_of};

    /// The operations that have a kernel.
    const KERNELS: [(Calc, Of); 4] = [
        (Calc::Mad, Of::Mad),
        (Calc::Mul, Of::Mul),
        (Calc::Add, Of::Add),
        (Calc::Product, Of::Product),
    ];

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Of {
        Mad,
        Mul,
        Add,
        Product,
    }

    /// An operation that has a kernel. Its operands may be denormals and NaNs of any form.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Kernel {
        of: Of,
        /// Whether its result may be a denormal in the place of a zero, and a NaN of any form.
        loose: bool,
    }

    impl Kernel {
        /// The kernel of an operation of mode `exact`, if it has one. The rule that 0 times anything is 0
        /// has none.
        pub fn of(calc: Calc, aux: u16) -> Option<Kernel> {
            let (_, of) = *KERNELS.iter().find(|(of, _)| *of == calc)?;
            (!is_set(aux)).then_some(Kernel { of, loose: false })
        }

        /// The kernel whose result may be a denormal, and a NaN of any form.
        pub fn loosened(self) -> Kernel {
            Kernel { loose: true, ..self }
        }
    }

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

    /// The block of assembly that computes a run: for every operation, and for every vector of its rows,
    /// the given lines from the first operand to the result, both in register 0 of the vectors `v` (ymm or
    /// zmm). They may use registers 1 and 2, and k1. Register 13 is 0, 14 -0, 15 the NaN. A row is at rdi +
    /// 256 times its number; r8 to r11 are the rows of a, b, c and the result, r12 that of the mask.
    macro_rules! block {
        ($rows:ident, $run:ident, $mask:expr, $environment:ident, $v:literal, $ats:literal;
         $($line:literal),*) => {
            asm!(
                concat!(".irp v, ", $v),
                "ldmxcsr [rax + 8]",
                "vbroadcastss \\v\\()14, [rax]",
                "vbroadcastss \\v\\()15, [rax + 4]",
                "vxorps xmm13, xmm13, xmm13",
                "2:",
                "mov r8d, [rsi + {src}]",
                "mov r9d, [rsi + {src} + 4]",
                "mov r10d, [rsi + {src} + 8]",
                "mov r11d, [rsi + {dst}]",
                "shl r8, 8",
                "shl r9, 8",
                "shl r10, 8",
                "shl r11, 8",
                "add r8, rdi",
                "add r9, rdi",
                "add r10, rdi",
                "add r11, rdi",
                concat!(".irp at, ", $ats),
                "vmovaps \\v\\()0, [r8 + \\at]",
                $($line,)*
                ".endr",
                "add rsi, {size}",
                "dec rcx",
                "jnz 2b",
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
                src = const offset_of!(Code, src),
                dst = const offset_of!(Code, dst),
                size = const size_of::<Code>(),
                clobber_abi("sysv64"),
                options(nostack),
            )
        };
    }

    /// A match over all kernels, with vectors `v`, whose places in a row are `ats`. `nan` makes NaNs the
    /// one NaN, `store` stores the result.
    macro_rules! kernels {
        ($kernel:ident, $rows:ident, $run:ident, $mask:expr, $environment:ident, $v:literal,
         $ats:literal, $nan:literal, $store:literal) => {
            kernels!(
                @match $kernel, ($rows, $run, $mask, $environment, $v, $ats), $nan, $store;
                Mad true: "vmulps \\v\\()0, \\v\\()0, [r9 + \\at]"
                    "vaddps \\v\\()0, \\v\\()0, [r10 + \\at]",
                Mad false: "vmulps \\v\\()0, \\v\\()0, [r9 + \\at]"
                    "vaddps \\v\\()0, \\v\\()0, [r10 + \\at]" "vaddps \\v\\()0, \\v\\()0, \\v\\()14" $nan,
                Mul true: "vmulps \\v\\()0, \\v\\()0, [r9 + \\at]"
                    "vaddps \\v\\()0, \\v\\()0, \\v\\()13",
                Mul false: "vmulps \\v\\()0, \\v\\()0, [r9 + \\at]"
                    "vaddps \\v\\()0, \\v\\()0, \\v\\()13" $nan,
                Add true: "vaddps \\v\\()0, \\v\\()0, [r9 + \\at]",
                Add false: "vaddps \\v\\()0, \\v\\()0, [r9 + \\at]"
                    "vaddps \\v\\()0, \\v\\()0, \\v\\()14" $nan,
                Product true: "vmulps \\v\\()0, \\v\\()0, [r9 + \\at]",
                Product false: "vmulps \\v\\()0, \\v\\()0, [r9 + \\at]"
                    "vaddps \\v\\()0, \\v\\()0, \\v\\()14",
            )
        };
        (@match $kernel:ident, $all:tt, $nan:literal, $store:literal;
         $($of:ident $loose:literal: $($line:literal)*,)*) => {
            match ($kernel.of, $kernel.loose) {
                $((Of::$of, $loose) => kernels!(@block $all; $($line,)* $store),)*
            }
        };
        (@block ($rows:ident, $run:ident, $mask:expr, $environment:ident, $v:literal, $ats:literal);
         $($line:literal),*) => {
            block!($rows, $run, $mask, $environment, $v, $ats; $($line),*)
        };
    }

    /// Computes a run of equal operations; in masked lanes only, if there is a mask. `environment` is
    /// the MXCSR of this thread.
    ///
    /// Not inlined: a caller with more features may hold values in registers that only calls give up.
    #[inline(never)]
    pub fn run(
        kernel: Kernel,
        rows: &mut [Row],
        run: &[Code],
        mask: Option<&Row>,
        environment: u32,
    ) {
        let wide = is_wide();
        in_vectors(wide, kernel, rows, run, mask, environment);
    }

    /// [`run`], in vectors of sixteen lanes, if the processor has them, or eight.
    fn in_vectors(
        wide: bool,
        kernel: Kernel,
        rows: &mut [Row],
        run: &[Code],
        mask: Option<&Row>,
        environment: u32,
    ) {
        let exists = |row: u32| (row as usize) < rows.len();
        let exist = |code: &Code| exists(code.dst) && code.src.iter().all(|&row| exists(row));
        assert!(can_run() && (!wide || is_wide()), "vectors that the processor does not have");
        assert!(run.iter().all(exist), "a row that the machine does not have");
        if run.is_empty() {
            return;
        }
        // SAFETY: the processor has the vectors, all rows that the operations name exist, and there is an
        // operation. The block touches the operations and the rows, and restores MXCSR.
        unsafe {
            match (wide, mask) {
                (false, None) => kernels!(
                    kernel,
                    rows,
                    run,
                    rows.as_ptr(),
                    environment,
                    "ymm",
                    "0, 32, 64, 96, 128, 160, 192, 224",
                    "vcmpunordps ymm1, ymm0, ymm0\nvblendvps ymm0, ymm0, ymm15, ymm1",
                    "vmovaps [r11 + \\at], ymm0"
                ),
                (false, Some(mask)) => kernels!(
                    kernel,
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
                (true, None) => kernels!(
                    kernel,
                    rows,
                    run,
                    rows.as_ptr(),
                    environment,
                    "zmm",
                    "0, 64, 128, 192",
                    "vcmpunordps k1, zmm0, zmm0\nvmovaps zmm0{{k1}}, zmm15",
                    "vmovaps [r11 + \\at], zmm0"
                ),
                (true, Some(mask)) => kernels!(
                    kernel,
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
        use super::*;
        use crate::lower::Write;
        use ctm_base::random::Random;
        use ctm_isa::float::ftz;
        use ctm_isa::ops::Op;

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
            let kernels =
                KERNELS.map(|(calc, of)| [false, true].map(|loose| (calc, Kernel { of, loose })));
            for (calc, kernel) in kernels.into_iter().flatten() {
                for round in 0..500 {
                    let mut rows = vec![Row::ZERO; 8];
                    for row in &mut rows {
                        row.0.as_flattened_mut().fill_with(|| number(&mut random));
                    }
                    // The second operation reads what the first one writes; the third writes what it reads.
                    let code = |dst: u32, src: [u32; 4]| Code {
                        step: Step::Op(Op::Calc(calc)),
                        write: Write::All,
                        run: 1,
                        in_place: false,
                        aux: 0,
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
                        for lane in (0..64).filter(|&n| mask.is_none_or(|m| m.get(n) != 0)) {
                            let operands = code.src.map(|row| want[row as usize].get(lane));
                            let value = (calc.facts().exact)(operands, 0);
                            want[code.dst as usize].set(lane, value);
                        }
                    }
                    let wide = is_wide() && round % 4 < 2;
                    in_vectors(wide, kernel, &mut rows, &run, mask, before);
                    for (got, want) in rows.iter().zip(&want) {
                        for lane in 0..64 {
                            let (mut got, mut want) = (got.get(lane), want.get(lane));
                            // The NaN of a product may have any form.
                            if kernel.loose || kernel.of == Of::Product {
                                (got, want) = (one_nan(got), one_nan(want));
                            }
                            if kernel.loose {
                                (got, want) = (ftz(got), ftz(want));
                            }
                            assert_eq!(got, want, "{kernel:?} {got:08x} {want:08x}");
                        }
                    }
                }
            }
            assert_eq!(environment() & !0x3f, before & !0x3f, "the control bits are as they were");
        }
    }
}
