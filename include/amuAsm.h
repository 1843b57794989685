/*
 * Assembler and disassembler of the project's assembly language (docs/assembly.md).
 *
 * Part of ctm, an emulator of ATI's CTM Data Parallel Processor (docs/c-api.md).
 * C99 and C++98.
 */
#ifndef AMU_ASM_H
#define AMU_ASM_H

#include "amDeviceManaged.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Is told text: one call for each line, with its line end. */
#ifndef AMU_LOG_FUNCTION
#define AMU_LOG_FUNCTION
typedef void (*AMUlogFunction)(const char *message);
#endif

/*
 * Assembles `length` bytes of text to an executable and returns 1. The executable is the client's:
 * free() or ctm_free() frees it. Warnings go to `log`, if there is one. On an error returns 0, tells
 * `log`, and sets *size and *binary to 0.
 */
int amuAsmAssemble(const char *source, AMuint32 length, AMuint32 *size, void **binary,
                   AMUlogFunction log);

/*
 * Tells `log` the executable that begins at `binary` as text. Its length is taken from its headers,
 * which are believed as by amuABIExtractConstants of amuABI.h: the executable must be whole.
 */
void amuAsmDisassemble(const void *binary, AMUlogFunction log);

#ifdef __cplusplus
}
#endif

#endif
