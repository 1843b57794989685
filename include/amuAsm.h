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

/* Receives text: one call for each line, with its line end. */
#ifndef AMU_LOG_FUNCTION
#define AMU_LOG_FUNCTION
typedef void (*AMUlogFunction)(const char *message);
#endif

/*
 * Assembles `length` bytes of text to an executable and returns 1. The executable belongs to the
 * client; free() or ctm_free() frees it. `log` receives warnings and errors; it may be NULL. On an
 * error the call returns 0 and sets *size and *binary to 0.
 */
int amuAsmAssemble(const char *source, AMuint32 length, AMuint32 *size, void **binary,
                   AMUlogFunction log);

/*
 * Sends the text of the executable that begins at `binary` to `log`. The call takes the length from
 * the headers and trusts them, as amuABIExtractConstants of amuABI.h does: the executable must be
 * complete.
 */
void amuAsmDisassemble(const void *binary, AMUlogFunction log);

#ifdef __cplusplus
}
#endif

#endif
