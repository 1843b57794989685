//! Products and sums of mode `exact` as x86 computes them with MXCSR.DAZ.
//!
//! With DAZ, and without FTZ, an operand that is denormal counts as the zero of its sign, and a
//! result keeps its bits. So a product needs no flush before it is added, and `x + -0` is x, flushed.
//! Rust's own floats assume the default environment. Therefore all arithmetic of an operation is one
//! block of assembly, from the instruction that sets DAZ to the one that takes it back: that is the
//! measured reason for the `unsafe` code of this file (MADs in runs of four at 1.7 times the speed, of
//! two at 1.6, alone at 1.05). With AVX-512 the loops of `lanes` flush by masks and are faster where
//! runs are short.
//!
//! ARM's FZ flushes results, too, before they are rounded, so it cannot be used.

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Kernel, can_run, is_fastest, run};

#[cfg(not(target_arch = "x86_64"))]
pub(super) use none::{Kernel, can_run, is_fastest, run};

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
    }

    pub fn can_run() -> bool {
        false
    }

    pub fn is_fastest() -> bool {
        false
    }

    pub fn run(kernel: Kernel, _: &mut [Row], _: &[Code], _: Option<&Row>) {
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
    const KERNELS: [(Calc, Kernel); 4] = [
        (Calc::Mad, Kernel::Mad),
        (Calc::Mul, Kernel::Mul),
        (Calc::Add, Kernel::Add),
        (Calc::Product, Kernel::Product),
    ];

    /// An operation that has a kernel. Its operands need no flush.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Kernel {
        Mad,
        Mul,
        Add,
        Product,
    }

    impl Kernel {
        /// The kernel of an operation of mode `exact`, if it has one. The rule that 0 times anything is 0
        /// has none.
        pub fn of(calc: Calc, aux: u16) -> Option<Kernel> {
            let of = KERNELS.iter().find(|(of, _)| *of == calc)?;
            (!is_set(aux)).then_some(of.1)
        }
    }

    /// Whether this processor has what kernels need.
    pub fn can_run() -> bool {
        is_x86_feature_detected!("avx")
    }

    /// Whether kernels are faster than loops on it.
    pub fn is_fastest() -> bool {
        can_run() && !is_x86_feature_detected!("avx512f")
    }

    /// -0, the one NaN, and an MXCSR with DAZ: no exception traps, rounding to nearest.
    static NUMBERS: [u32; 3] = [SIGN, CANONICAL_NAN, 0x1fc0];

    /// The block of assembly that computes a run: for every operation, and for every eight lanes of its
    /// rows, the given lines from the first operand to the result, both in ymm0. They may use ymm1 and
    /// ymm2. ymm13 is 0, ymm14 -0, ymm15 the NaN. A row is at rdi + 256 times its number; r8 to r11 are
    /// the rows of a, b, c and the result, r12 that of the mask.
    macro_rules! block {
        ($rows:ident, $run:ident, $mask:expr; $($line:literal),* $(,)?) => {{
            let mut mxcsr = 0u32;
            asm!(
                "stmxcsr [rdx]",
                "ldmxcsr [rax + 8]",
                "vbroadcastss ymm14, [rax]",
                "vbroadcastss ymm15, [rax + 4]",
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
                ".irp at, 0, 32, 64, 96, 128, 160, 192, 224",
                "vmovaps ymm0, [r8 + \\at]",
                $($line,)*
                "vmovaps [r11 + \\at], ymm0",
                ".endr",
                "add rsi, {size}",
                "dec rcx",
                "jnz 2b",
                "ldmxcsr [rdx]",
                "vzeroupper",
                in("rax") NUMBERS.as_ptr(),
                inout("rcx") $run.len() => _,
                in("rdx") &raw mut mxcsr,
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
        }};
    }

    /// The block of a kernel, with the lines of a mask.
    macro_rules! kernel {
        ($kernel:ident, $rows:ident, $run:ident, $mask:expr; $($masked:literal),*) => {
            match $kernel {
                Kernel::Mad => block!(
                    $rows, $run, $mask;
                    "vmulps ymm0, ymm0, [r9 + \\at]",
                    "vaddps ymm0, ymm0, [r10 + \\at]",
                    "vaddps ymm0, ymm0, ymm14",
                    "vcmpunordps ymm1, ymm0, ymm0",
                    "vblendvps ymm0, ymm0, ymm15, ymm1",
                    $($masked),*
                ),
                Kernel::Mul => block!(
                    $rows, $run, $mask;
                    "vmulps ymm0, ymm0, [r9 + \\at]",
                    "vaddps ymm0, ymm0, ymm13",
                    "vcmpunordps ymm1, ymm0, ymm0",
                    "vblendvps ymm0, ymm0, ymm15, ymm1",
                    $($masked),*
                ),
                Kernel::Add => block!(
                    $rows, $run, $mask;
                    "vaddps ymm0, ymm0, [r9 + \\at]",
                    "vaddps ymm0, ymm0, ymm14",
                    "vcmpunordps ymm1, ymm0, ymm0",
                    "vblendvps ymm0, ymm0, ymm15, ymm1",
                    $($masked),*
                ),
                Kernel::Product => block!(
                    $rows, $run, $mask;
                    "vmulps ymm0, ymm0, [r9 + \\at]",
                    "vaddps ymm0, ymm0, ymm14",
                    $($masked),*
                ),
            }
        };
    }

    /// Computes a run of equal operations; in masked lanes only, if there is a mask.
    ///
    /// Not inlined: a caller with more features may hold values in registers that only calls give up.
    #[inline(never)]
    pub fn run(kernel: Kernel, rows: &mut [Row], run: &[Code], mask: Option<&Row>) {
        let exists = |row: u32| (row as usize) < rows.len();
        let exist = |code: &Code| exists(code.dst) && code.src.iter().all(|&row| exists(row));
        assert!(can_run() && run.iter().all(exist), "a row that the machine does not have");
        if run.is_empty() {
            return;
        }
        // SAFETY: the processor has AVX, all rows that the operations name exist, and there is an operation.
        // The block touches `mxcsr`, the operations and the rows, and restores MXCSR.
        unsafe {
            match mask {
                None => kernel!(kernel, rows, run, rows.as_ptr();),
                Some(mask) => kernel!(
                    kernel, rows, run, mask;
                    "vmovaps ymm1, [r11 + \\at]",
                    "vmovaps ymm2, [r12 + \\at]",
                    "vblendvps ymm0, ymm1, ymm0, ymm2"
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
        use ctm_isa::ops::Op;

        fn mxcsr() -> u32 {
            let mut value = 0u32;
            // SAFETY: it writes `value`.
            unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut value, options(nostack)) };
            value & !0x3f
        }

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
            let before = mxcsr();
            if !can_run() {
                println!("no AVX");
                return;
            }
            for (calc, kernel) in KERNELS {
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
                    super::run(kernel, &mut rows, &run, mask);
                    for (got, want) in rows.iter().zip(&want) {
                        for lane in 0..64 {
                            let (got, want) = (got.get(lane), want.get(lane));
                            // The NaN of a product may have any form.
                            let alike = kernel == Kernel::Product
                                && f32::from_bits(got).is_nan()
                                && f32::from_bits(want).is_nan();
                            assert!(alike || got == want, "{kernel:?} {got:08x} {want:08x}");
                        }
                    }
                }
            }
            assert_eq!(mxcsr(), before, "the control bits are as they were");
        }
    }
}
