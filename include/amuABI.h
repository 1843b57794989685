/*
 * Program executables: the constants that one names, and those that it brings with a value.
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

/* A name: text with a terminating zero, and its length without it. */
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

/* All constants of an executable. A plain value: copies of it share the arrays. */
typedef struct AMUabiConstsInfo {
    AMuint32 userConstsCount;
    AMUabiUserConst *userConsts;
    AMuint32 litConstsCount;
    AMUabiLitConst *litConsts;
} AMUabiConstsInfo;

/*
 * The constants of the executable that begins at `binary`. Its length is not told, and is taken from
 * its headers: 52 bytes must be there, and all that they and the tables they lead to say is there,
 * up to 1 MiB. The call believes them: an executable that was cut short or damaged can make it read
 * beyond the client's memory. Do not give it files from elsewhere unchecked; `ctm info` checks them.
 * The arrays are the client's: ctm_free_constants() of ctm.h frees them. All zero if `binary` is
 * no executable (ctm_last_error() says why) or has no constants.
 */
AMUabiConstsInfo amuABIExtractConstants(const void *binary);

/*
 * Writes the literals to the areas of the constants: float constant n is four floats at
 * floats + 16 n, integer constant n four bytes (count, start, step, 0) at ints + 4 n, boolean
 * constant n a 32-bit word at bools + 4 n. An area without literals is not touched and may be any
 * pointer.
 */
void amuABISetLiteralConstants(AMUabiConstsInfo info, void *floats, void *ints, void *bools);

#ifdef __cplusplus
}
#endif

#endif
