//! `AMUabiConstsInfo`: the constants of an executable as one block of memory that the client owns.

use std::ffi::c_void;
use std::ptr::{self, null_mut};

use super::error::CallError;
use super::programs;
use super::raw;
use super::types::{AMUabiConstsInfo, AMUabiLitConst, AMUabiName, AMUabiUserConst};
use crate::launch::IntConstant;
use crate::program::ConstantKind;

/// No constants.
pub(super) const NONE: AMUabiConstsInfo = AMUabiConstsInfo {
    user_consts_count: 0,
    user_consts: null_mut(),
    lit_consts_count: 0,
    lit_consts: null_mut(),
};

/// The constants of an executable, in one block: first the user constants, then the literals and
/// the names. Freeing `user_consts` frees the block.
pub(super) fn give(executable: &[u8]) -> Result<AMUabiConstsInfo, CallError> {
    let (users, literals) = programs::constants(executable)?;
    if users.is_empty() && literals.is_empty() {
        return Ok(NONE);
    }
    let user_bytes = users.len() * size_of::<AMUabiUserConst>();
    let literal_bytes = literals.len() * size_of::<AMUabiLitConst>();
    let names: usize = users.iter().map(|user| user.name.len() + 1).sum();
    let block = raw::allocate(user_bytes + literal_bytes + names)?;
    let user_consts = block.cast::<AMUabiUserConst>();
    // SAFETY: the block has room for the three parts in this order; the first type has the highest
    // alignment, and its size is a multiple of it.
    unsafe {
        let lit_consts = user_consts.add(users.len()).cast::<AMUabiLitConst>();
        let mut name = lit_consts.add(literals.len()).cast::<u8>();
        for (n, user) in users.iter().enumerate() {
            user_consts.add(n).write(AMUabiUserConst {
                name: AMUabiName { str: name.cast(), length: user.name.len() as u32 },
                r#type: user.kind as u32,
                addr: user.addr,
            });
            ptr::copy_nonoverlapping(user.name.as_ptr(), name, user.name.len());
            name.add(user.name.len()).write(0);
            name = name.add(user.name.len() + 1);
        }
        for (n, literal) in literals.iter().enumerate() {
            lit_consts.add(n).write(AMUabiLitConst {
                r#type: literal.kind as u32,
                addr: literal.addr,
                value: literal.value,
            });
        }
        Ok(AMUabiConstsInfo {
            user_consts_count: users.len() as u32,
            user_consts,
            lit_consts_count: literals.len() as u32,
            lit_consts,
        })
    }
}

/// Writes the literals into the constant areas. An area for which the executable has no literals
/// may be an invalid pointer: clients leave it uninitialised.
///
/// # Safety
/// `info` came from `give`; each area that has literals is NULL or has room for all constants of
/// its kind, at any alignment.
pub(super) unsafe fn set_literals(
    info: &AMUabiConstsInfo,
    floats: *mut c_void,
    ints: *mut c_void,
    bools: *mut c_void,
) -> Result<(), CallError> {
    let count = info.lit_consts_count as usize;
    // SAFETY: the caller guarantees it.
    let literals = unsafe { raw::values("info.litConsts", info.lit_consts, count)? };
    for literal in literals {
        let n = literal.addr as usize;
        let kind = ConstantKind::ALL
            .into_iter()
            .find(|&kind| kind as u32 == literal.r#type && n < kind.count());
        let (name, area, offset, bytes) = match kind {
            Some(ConstantKind::Float) => {
                let bytes: Vec<u8> = literal.value.iter().flat_map(|w| w.to_le_bytes()).collect();
                ("the area of float constants", floats, 16 * n, bytes)
            }
            Some(ConstantKind::Int) => {
                let word = IntConstant::from_literal(literal.value).to_word();
                let bytes = word.to_le_bytes().to_vec();
                ("the area of integer constants", ints, 4 * n, bytes)
            }
            Some(ConstantKind::Bool) => {
                let word = u32::from(literal.value[0] != 0);
                let bytes = word.to_le_bytes().to_vec();
                ("the area of boolean constants", bools, 4 * n, bytes)
            }
            None => continue,
        };
        if area.is_null() {
            return Err(CallError::null(name));
        }
        // SAFETY: the constant exists, so it is inside the area.
        unsafe { raw::put_bytes(name, area.cast::<u8>().add(offset).cast(), &bytes)? };
    }
    Ok(())
}
