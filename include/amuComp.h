/*
 * The compiler: source text to executables.
 *
 * Part of ctm, an emulator of ATI's CTM Data Parallel Processor (docs/c-api.md).
 * C99 and C++98.
 */
#ifndef AMU_COMP_H
#define AMU_COMP_H

#include "amDeviceManaged.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A handle, not a pointer. Any number of threads may use one compiler. */
typedef void *AMUcompCompiler;

/* A macro. A list of macros ends with an entry whose name is NULL. */
typedef struct AMUcompMacro {
    const char *name;
    const char *value;
} AMUcompMacro;

/* Receives text: one call for each line, with its line end. */
#ifndef AMU_LOG_FUNCTION
#define AMU_LOG_FUNCTION
typedef void (*AMUlogFunction)(const char *message);
#endif

/* Opens a compiler; never NULL. */
AMUcompCompiler amuCompOpenCompiler(void);

/* Closes a compiler. */
void amuCompCloseCompiler(AMUcompCompiler compiler);

/*
 * Compiles `length` bytes of text to an executable and returns 1. The executable belongs to the
 * client; free() or ctm_free() frees it. A macro selects the language:
 *
 *     AMU_LANG_PS3   Direct3D 9 pixel shader 3.0 assembly
 *     CTM_LANG_ASM   the assembly language of this project (amuAsm.h)
 *
 * Other macros and all values are ignored. `options` is reserved; pass NULL. `entry` is "main" or
 * NULL. `log` receives warnings and errors; it may be NULL. On an error the call returns 0 and sets
 * *size and *binary to 0.
 */
int amuCompCompile(AMUcompCompiler compiler, const char *source, AMuint32 length,
                   const AMUcompMacro *macros, const void *options, const char *entry,
                   AMuint32 *size, void **binary, AMUlogFunction log);

#ifdef __cplusplus
}
#endif

#endif
