//! Random TEX instructions.

use super::operation::Pool;
use ctm_base::random::Random;
use ctm_isa::isa::{Body, Channel, Coordinate, FieldValue, Instruction, TexOp, Type};

const OPS: [TexOp; 7] =
    [TexOp::Ld, TexOp::Proj, TexOp::LodBias, TexOp::Lod, TexOp::DxDy, TexOp::Texkill, TexOp::Nop];

impl Pool {
    fn coordinate(&self, random: &mut Random) -> Coordinate {
        let channel = |n: u32| Channel::from_code(n);
        Coordinate {
            addr: self.temp(random),
            relative: self.relative && random.chance(12),
            swizzle: if random.chance(60) {
                [Channel::R, Channel::G, Channel::B, Channel::A]
            } else {
                [0; 4].map(|_| channel(random.below(4)))
            },
        }
    }

    /// A TEX instruction; if it fetches, from an input that exists.
    pub(super) fn tex(&self, random: &mut Random) -> Instruction {
        let mut instruction = Instruction::blank(Type::Tex);
        instruction.common = self.common(random, Type::Tex);
        let weights: &[u32] =
            if self.inputs == 0 { &[0, 0, 0, 0, 0, 60, 40] } else { &[40, 15, 7, 7, 7, 10, 4] };
        let op = OPS[random.weighted(weights)];
        if op == TexOp::Texkill && random.chance(50) {
            // Its masks have no effect.
            instruction.common.wmask |= 7;
        }
        let src = self.coordinate(random);
        let (dx, dy) = (self.coordinate(random), self.coordinate(random));
        if let Body::Tex(tex) = &mut instruction.body {
            tex.op = op;
            tex.input = random.below(16) as u8;
            while op.fetches() && self.inputs >> tex.input & 1 == 0 {
                tex.input = (tex.input + 1) & 15;
            }
            tex.tex_sem_acquire = random.chance(30);
            tex.ignore_uncovered = random.chance(20);
            tex.unscaled = random.chance(75);
            tex.src = src;
            tex.dx = dx;
            tex.dy = dy;
            tex.dest = self.temp(random);
            tex.dest_rel = self.relative && random.chance(10);
            tex.dest_swizzle = if random.chance(60) {
                [Channel::R, Channel::G, Channel::B, Channel::A]
            } else {
                [0; 4].map(|_| Channel::from_code(random.below(4)))
            };
        }
        instruction
    }
}
