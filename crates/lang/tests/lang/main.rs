//! The languages: the instruction set and its manual, the assembler, `ps_3_0`, program files.

mod asm_docs;
mod asm_errors;
mod asm_explicit;
mod asm_flow;
mod asm_fuzz;
mod asm_vectors;
mod error_table;
mod isa_manual;
mod programs;
mod ps_arithmetic;
mod ps_common;
mod ps_errors;
mod ps_flow;
mod source_lines;
