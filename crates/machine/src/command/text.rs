//! Commands as text, as `ctm info` lists them.

use super::{Command, ConstantFormat, Layout, SurfaceFormat};
use std::fmt;

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Layout { pitch, tiling, format } = self;
        write!(f, "{} {}, pitch {pitch}", format.name(), tiling.name())
    }
}

impl fmt::Display for SurfaceFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SurfaceFormat { address, layout, height } = self;
        write!(f, "0x{address:08x}, {layout}, height {height}")
    }
}

impl fmt::Display for ConstantFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.layout {
            None => write!(f, "0x{:08x}, packed", self.address),
            Some(layout) => write!(f, "0x{:08x}, {layout}", self.address),
        }
    }
}

/// The name and the parameters: `set_inp_fmt 0: 0x20200000, FLOAT32_4 LINEAR, pitch 64, height 64`.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.opcode().name())?;
        match self {
            Command::InitPerfCounters { enable } => write!(f, " {}", u32::from(*enable)),
            Command::SetCondOutMask { write } => write!(f, " {}", u32::from(*write)),
            Command::SetCondVal { value } => write!(f, " 0x{value:08x}"),
            Command::SetOutMask { mask } => write!(f, " {mask:04b}"),
            Command::SetDomain(domain) => {
                write!(f, " ({}, {}) to ({}, {})", domain.i0, domain.j0, domain.i1, domain.j1)
            }
            Command::SetInstFmt { address }
            | Command::ReadPerfCounters { address }
            | Command::SetParams { address } => write!(f, " 0x{address:08x}"),
            Command::SetInpFmt { index, surface } | Command::SetOutFmt { index, surface } => {
                write!(f, " {index}: {surface}")
            }
            Command::SetCondOutFmt(surface) => write!(f, " {surface}"),
            Command::SetConstfFmt(constants)
            | Command::SetConstiFmt(constants)
            | Command::SetConstbFmt(constants) => write!(f, " {constants}"),
            Command::SetShared { resource, simds } => {
                write!(f, " 0x{resource:08x}, {simds} SIMDs")
            }
            Command::SetCondTest(test) => write!(f, " {}", test.name()),
            Command::SetCondLoc(location) => write!(f, " {}", location.name()),
            Command::StartPerfCounters
            | Command::StopPerfCounters
            | Command::StartProgram
            | Command::WaitForIdle
            | Command::InvInstCache
            | Command::InvConstfCache
            | Command::InvConstiCache
            | Command::InvConstbCache
            | Command::InvCondOutCache
            | Command::InvInpCache
            | Command::FlushOutCache
            | Command::FlushCondOutCache => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::Domain;
    use crate::memory::{Format, Tiling};

    #[test]
    fn commands_say_their_parameters() {
        let layout = Layout { pitch: 64, tiling: Tiling::Linear, format: Format::Float32x4 };
        let surface = SurfaceFormat { address: 0x2000_0800, layout, height: 3 };
        let text = |command: Command| command.to_string();
        assert_eq!(
            text(Command::SetOutFmt { index: 1, surface }),
            "set_out_fmt 1: 0x20000800, FLOAT32_4 LINEAR, pitch 64, height 3"
        );
        assert_eq!(
            text(Command::SetConstfFmt(ConstantFormat { address: 0x800, layout: None })),
            "set_constf_fmt 0x00000800, packed"
        );
        let domain = Domain { i0: 0, j0: 1, i1: 63, j1: 2 };
        assert_eq!(text(Command::SetDomain(domain)), "set_domain (0, 1) to (63, 2)");
        assert_eq!(text(Command::SetOutMask { mask: 5 }), "set_out_mask 0101");
        assert_eq!(text(Command::StartProgram), "start_program");
        let shared = Command::SetShared { resource: 0x1000_0004, simds: 2 };
        assert_eq!(text(shared), "set_shared 0x10000004, 2 SIMDs");
    }
}
