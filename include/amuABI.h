/*
 * Program executables: the constants that an executable names, and its literals.
 *
 * Part of ctm, an emulator of ATI's CTM Data Parallel Processor (docs/c-api.md).
 * C99 and C++98.
 */
#ifndef AMU_ABI_H
#define AMU_ABI_H

#include "amDeviceManaged.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of constants. */
typedef enum AMUabiDataType {
    AMU_ABI_FLOAT32 = 0,
    AMU_ABI_INT32 = 1,
    AMU_ABI_BOOL32 = 2
} AMUabiDataType;

/* A name: text with a terminating zero, and its length without the zero. */
typedef struct AMUabiName {
    const char *str;
    AMuint32 length;
} AMUabiName;

/* A constant that the source names and the client sets. */
typedef struct AMUabiUserConst {
    AMUabiName name;
    AMUabiDataType type;
    AMuint32 addr; /* number of the register */
} AMUabiUserConst;

/* A constant with a value. */
typedef struct AMUabiLitConst {
    AMUabiDataType type;
    AMuint32 addr; /* number of the register */
    union {
        float float32[4];
        AMuint32 int32[4];  /* count, start and step of aL, 0 */
        AMuint32 bool32[4]; /* 0 or 1, then zeros */
    } value;
} AMUabiLitConst;

/* All constants of an executable. Copies of this structure share the arrays. */
typedef struct AMUabiConstsInfo {
    AMuint32 userConstsCount;
    AMUabiUserConst *userConsts;
    AMuint32 litConstsCount;
    AMUabiLitConst *litConsts;
} AMUabiConstsInfo;

/*
 * Returns the constants of the executable that begins at `binary`. The call has no length and takes
 * it from the headers. 52 bytes must be there, and everything that they and the tables they lead to
 * describe, up to 1 MiB. The call trusts the headers: a truncated or damaged executable can make it
 * read beyond the client's memory. Check files from elsewhere with `ctm info` first. The arrays
 * belong to the client; ctm_free_constants() of ctm.h frees them. The result is all zero if `binary`
 * is not an executable (ctm_last_error() says why) or has no constants.
 */
AMUabiConstsInfo amuABIExtractConstants(const void *binary);

/*
 * Writes the literals to the constant areas: float constant n is four floats at
 * floats + 16 n, integer constant n four bytes (count, start, step, 0) at ints + 4 n, boolean
 * constant n a 32-bit word at bools + 4 n. If there are no literals for an area, it is not touched,
 * and the pointer may have any value.
 */
void amuABISetLiteralConstants(AMUabiConstsInfo info, void *floats, void *ints, void *bools);

#ifdef __cplusplus
}
#endif

#endif
