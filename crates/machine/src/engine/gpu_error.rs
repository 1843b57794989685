//! The errors of a GPU, as messages and as data.

/// Errors of a GPU that could not be used, or stopped being usable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GpuError {
    /// The requested adapter does not exist; or none was requested, and there is no GPU.
    #[error("{}", no_adapter(.asked, .available))]
    NoAdapter {
        /// The name or index; `None` if the best GPU was requested.
        asked: Option<String>,
        /// The available adapters, one per line.
        available: Vec<String>,
    },
    /// Several adapters have this name.
    #[error("adapter \"{asked}\" matches each of these; give more of the name, or the number:{}",
            list(.matches))]
    Ambiguous {
        /// The name.
        asked: String,
        /// The adapters with such a name, one per line.
        matches: Vec<String>,
    },
    /// The driver refused to open the adapter.
    #[error("adapter {adapter}: it cannot be opened: {reason}")]
    NoDevice {
        /// The adapter's name.
        adapter: String,
        /// The driver's message.
        reason: String,
    },
    /// The adapter has less of something than is required.
    #[error("adapter {adapter}: {what} is {have}, but {need} is needed")]
    Limits {
        /// The adapter's name.
        adapter: String,
        /// The limited thing, with its unit.
        what: String,
        /// The required amount.
        need: u64,
        /// The available amount.
        have: u64,
    },
    /// The device is lost and can no longer be used.
    #[error("adapter {adapter}: the device was lost: {reason}")]
    Lost {
        /// The adapter's name.
        adapter: String,
        /// The driver's message.
        reason: String,
    },
    /// The adapter has no memory left.
    #[error("out of GPU memory: {what}{}", size(*.bytes))]
    OutOfMemory {
        /// The purpose of the memory.
        what: String,
        /// The size in bytes; 0 if unknown.
        bytes: u64,
    },
    /// wgpu refused a call: a bug in this program.
    #[error("{what}: refused by wgpu: {message}")]
    Validation {
        /// The attempted operation.
        what: String,
        /// The reason of the refusal.
        message: String,
    },
    /// The driver failed without an explanation.
    #[error("{what}: the driver failed: {message}")]
    Internal {
        /// The attempted operation.
        what: String,
        /// The driver's message.
        message: String,
    },
    /// The adapter's arithmetic differs from the chip's at every guard level that the engine has.
    #[error("adapter {adapter}: mode exact is not possible: {reason}")]
    FloatProbe {
        /// The adapter's name.
        adapter: String,
        /// The operation, its operands, the result and the expected result.
        reason: String,
    },
    /// A shader did not compile.
    #[error("shader {what}: {message}")]
    Shader {
        /// The shader.
        what: String,
        /// Position and cause.
        message: String,
    },
}

impl GpuError {
    /// Turns a refused call into a shader error. Other errors stay as they are.
    pub fn in_shader(self) -> GpuError {
        match self {
            GpuError::Validation { what, message } | GpuError::Internal { what, message } => {
                GpuError::Shader { what, message }
            }
            other => other,
        }
    }

    /// Whether the adapter has less of something than a launch needs, so that another engine may
    /// run it.
    pub fn is_too_little(&self) -> bool {
        matches!(self, GpuError::OutOfMemory { .. } | GpuError::Limits { .. })
    }

    /// Whether the device is lost.
    pub fn is_lost(&self) -> bool {
        matches!(self, GpuError::Lost { .. })
    }
}

fn list(lines: &[String]) -> String {
    lines.iter().map(|line| format!("\n  {line}")).collect()
}

fn size(bytes: u64) -> String {
    match bytes {
        0 => String::new(),
        bytes => format!(" needs {bytes} bytes"),
    }
}

fn no_adapter(asked: &Option<String>, available: &[String]) -> String {
    let apis = if cfg!(target_os = "macos") {
        "Metal"
    } else if cfg!(windows) {
        "Vulkan or DirectX 12"
    } else {
        "Vulkan"
    };
    match (asked, available) {
        (None, []) => format!("there is no GPU: no driver for {apis} offers an adapter"),
        (None, _) => format!(
            "there is no GPU that can be used; a software adapter is used only if `adapter` or \
             CTM_ADAPTER names it; the adapters are:{}",
            list(available)
        ),
        (Some(asked), []) => {
            format!("there is no adapter \"{asked}\": no driver for {apis} offers any")
        }
        (Some(asked), _) => {
            format!("there is no adapter \"{asked}\"; the adapters are:{}", list(available))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_what_there_is() {
        let lines = vec!["0: A (Vulkan, discrete)".to_string(), "1: B".to_string()];
        let text = GpuError::NoAdapter { asked: Some("C".into()), available: lines.clone() };
        assert_eq!(
            text.to_string(),
            "there is no adapter \"C\"; the adapters are:\n  0: A (Vulkan, discrete)\n  1: B"
        );
        let text = GpuError::NoAdapter { asked: None, available: lines.clone() };
        assert_eq!(
            text.to_string(),
            "there is no GPU that can be used; a software adapter is used only if `adapter` or \
             CTM_ADAPTER names it; the adapters are:\n  0: A (Vulkan, discrete)\n  1: B"
        );
        let text = GpuError::Ambiguous { asked: "x".into(), matches: lines };
        assert_eq!(
            text.to_string(),
            "adapter \"x\" matches each of these; give more of the name, or the number:\n  \
             0: A (Vulkan, discrete)\n  1: B"
        );
        let text = GpuError::Limits {
            adapter: "A".into(),
            what: "workgroup memory in bytes".into(),
            need: 2,
            have: 1,
        };
        assert_eq!(text.to_string(), "adapter A: workgroup memory in bytes is 1, but 2 is needed");
        let text = |bytes| {
            let what = "the arena".into();
            GpuError::OutOfMemory { what, bytes }.to_string()
        };
        assert_eq!(text(7), "out of GPU memory: the arena needs 7 bytes");
        assert_eq!(text(0), "out of GPU memory: the arena");
    }
}
