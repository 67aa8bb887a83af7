//! The processor that a file was compiled for, in the words of platform tags.

use object::elf;

/// What a file's header says about its processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Machine {
    /// One that platform policies are defined for, by its word in a tag: `x86_64`, `armv7l`.
    Policy(&'static str),
    /// Another processor that runs Linux and that no policy is defined for, by its family: `mips`,
    /// `arm` (soft float or an old ABI), `sparc`.
    Other(&'static str),
    /// Not code that the host's processor runs: a GPU's, an in-kernel machine's, or an unknown number.
    Device(u16),
}

impl Machine {
    /// Reads the header fields `e_machine`, class (32 or 64), byte order and `e_flags`.
    ///
    /// An ARM file counts as `armv7l` only with EABI 5 and hard float, as PEP 599's successors ask
    /// (`e_flags`: ELF for the Arm Architecture, table 4-2).
    #[must_use]
    pub fn new(machine: u16, bits: u8, little_endian: bool, flags: u32) -> Self {
        /// `EF_ARM_EABIMASK`, `EF_ARM_EABI_VER5`, `EF_ARM_ABI_FLOAT_HARD`.
        const ARM: (u32, u32, u32) = (0xff00_0000, 0x0500_0000, 0x400);
        match (elf::Machine(machine), bits, little_endian) {
            (elf::EM_386, 32, true) => Self::Policy("i686"),
            (elf::EM_X86_64, 64, true) => Self::Policy("x86_64"),
            (elf::EM_AARCH64, 64, true) => Self::Policy("aarch64"),
            (elf::EM_PPC64, 64, true) => Self::Policy("ppc64le"),
            (elf::EM_PPC64, 64, false) => Self::Policy("ppc64"),
            (elf::EM_S390, 64, false) => Self::Policy("s390x"),
            (elf::EM_RISCV, 64, true) => Self::Policy("riscv64"),
            (elf::EM_LOONGARCH, 64, true) => Self::Policy("loongarch64"),
            (elf::EM_ARM, 32, true) if flags & ARM.0 == ARM.1 && flags & ARM.2 != 0 => {
                Self::Policy("armv7l")
            }
            (elf::EM_ARM, _, _) => Self::Other("arm"),
            (elf::EM_MIPS | elf::EM_MIPS_RS3_LE, _, _) => Self::Other("mips"),
            (elf::EM_PPC | elf::EM_PPC64, _, _) => Self::Other("ppc"),
            (elf::EM_SPARC | elf::EM_SPARC32PLUS | elf::EM_SPARCV9, _, _) => Self::Other("sparc"),
            (elf::EM_RISCV, _, _) => Self::Other("riscv"),
            (elf::EM_LOONGARCH, _, _) => Self::Other("loongarch"),
            (elf::EM_S390, _, _) => Self::Other("s390"),
            (elf::EM_AARCH64, _, _) => Self::Other("aarch64_be"),
            (elf::EM_X86_64, _, _) => Self::Other("x32"),
            (elf::EM_68K, _, _) => Self::Other("m68k"),
            (elf::EM_SH, _, _) => Self::Other("sh"),
            (elf::EM_PARISC, _, _) => Self::Other("parisc"),
            (elf::EM_ALPHA, _, _) => Self::Other("alpha"),
            (elf::EM_IA_64, _, _) => Self::Other("ia64"),
            _ => Self::Device(machine),
        }
    }

    /// Whether the host's processor runs it.
    #[must_use]
    pub fn is_host(self) -> bool {
        !matches!(self, Self::Device(_))
    }
}

impl std::fmt::Display for Machine {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Policy(word) | Self::Other(word) => out.write_str(word),
            Self::Device(224) => out.write_str("amdgpu"),
            Self::Device(190) => out.write_str("cuda"),
            Self::Device(247) => out.write_str("bpf"),
            Self::Device(number) => write!(out, "machine number {number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arm_needs_hard_float_and_eabi_5() {
        assert_eq!(
            Machine::new(40, 32, true, 0x0500_0400),
            Machine::Policy("armv7l")
        );
        assert_eq!(
            Machine::new(40, 32, true, 0x0500_0200),
            Machine::Other("arm")
        );
        assert_eq!(
            Machine::new(40, 32, true, 0x0400_0400),
            Machine::Other("arm")
        );
    }

    #[test]
    fn byte_order_and_class_tell_machines_apart() {
        assert_eq!(Machine::new(21, 64, true, 2), Machine::Policy("ppc64le"));
        assert_eq!(Machine::new(21, 64, false, 1), Machine::Policy("ppc64"));
        assert_eq!(Machine::new(62, 32, true, 0), Machine::Other("x32"));
        assert_eq!(Machine::new(224, 64, true, 0).to_string(), "amdgpu");
    }
}
