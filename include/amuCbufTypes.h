/*
 * Command words and the fields of their parameters, named as in the tables of the CTM Guide.
 *
 * Part of ctm, an emulator of ATI's CTM Data Parallel Processor (docs/c-api.md).
 * C99 and C++98.
 */
#ifndef AMU_CBUF_TYPES_H
#define AMU_CBUF_TYPES_H

/* Data formats: bits 27:24 of a format parameter. Codes 5 to 8 are this project's choice for formats
 * of later SDKs, whose original codes were never published. In memory c0 comes first; only UINT8_4
 * is blue, green, red, alpha. */
typedef enum AMUcbufFldFormat {
    AMU_CBUF_FLD_FORMAT_UINT16_1 = 0,
    AMU_CBUF_FLD_FORMAT_UINT8_4 = 1,
    AMU_CBUF_FLD_FORMAT_FLOAT32_1 = 2,
    AMU_CBUF_FLD_FORMAT_FLOAT32_2 = 3,
    AMU_CBUF_FLD_FORMAT_FLOAT32_4 = 4,
    AMU_CBUF_FLD_FORMAT_UINT8_1 = 5,
    AMU_CBUF_FLD_FORMAT_UINT8_2 = 6,
    AMU_CBUF_FLD_FORMAT_UINT16_2 = 7,
    AMU_CBUF_FLD_FORMAT_UINT16_4 = 8
} AMUcbufFldFormat;

/* Tilings: bits 17:16 of a format parameter. */
typedef enum AMUcbufFldTiling {
    AMU_CBUF_FLD_TILING_LINEAR = 0,
    AMU_CBUF_FLD_TILING_TILED0 = 1,
    AMU_CBUF_FLD_TILING_LINEAR_INP_2X2 = 2,
    AMU_CBUF_FLD_TILING_TILED_INP_2X2 = 3
} AMUcbufFldTiling;

/* Conditions of set_cond_test: v is the point's value, b the value in the buffer. */
typedef enum AMUcbufFldCondTest {
    AMU_CBUF_FLD_COND_TEST_NEVER = 0,
    AMU_CBUF_FLD_COND_TEST_LESS = 1,          /* v < b */
    AMU_CBUF_FLD_COND_TEST_LESS_EQUAL = 2,    /* v <= b */
    AMU_CBUF_FLD_COND_TEST_EQUAL = 3,         /* v == b */
    AMU_CBUF_FLD_COND_TEST_GREATER_EQUAL = 4, /* v >= b */
    AMU_CBUF_FLD_COND_TEST_GREATER = 5,       /* v > b */
    AMU_CBUF_FLD_COND_TEST_NOT_EQUAL = 6,     /* v != b */
    AMU_CBUF_FLD_COND_TEST_ALWAYS = 7
} AMUcbufFldCondTest;

/* Locations of set_cond_loc. */
typedef enum AMUcbufFldCondLoc {
    AMU_CBUF_FLD_COND_LOC_DPP = 0, /* after a point's program, before its outputs are written */
    AMU_CBUF_FLD_COND_LOC_PE = 1   /* before a point starts */
} AMUcbufFldCondLoc;

/* Command words. They have 32 bits, too many for an enumeration in C. */
#define AMU_CBUF_INIT_PERF_COUNTERS     0xC0010200u
#define AMU_CBUF_START_PERF_COUNTERS    0xC0000300u
#define AMU_CBUF_STOP_PERF_COUNTERS     0xC0000400u
#define AMU_CBUF_READ_PERF_COUNTERS     0xC0010500u
#define AMU_CBUF_SET_COND_VAL           0xC0000600u
#define AMU_CBUF_SET_DOMAIN             0xC0030700u
#define AMU_CBUF_START_PROGRAM          0xC0000800u
#define AMU_CBUF_WAIT_FOR_IDLE          0xC0000900u
#define AMU_CBUF_SET_INST_FMT           0xC0010A00u
#define AMU_CBUF_SET_INP_FMT            0xC0030B00u
#define AMU_CBUF_SET_OUT_FMT            0xC0030C00u
#define AMU_CBUF_SET_COND_OUT_FMT       0xC0020D00u
#define AMU_CBUF_SET_CONSTF_FMT         0xC0010E00u
#define AMU_CBUF_SET_CONSTI_FMT         0xC0010F00u
#define AMU_CBUF_SET_CONSTB_FMT         0xC0011000u
#define AMU_CBUF_INV_INST_CACHE         0xC0001100u
#define AMU_CBUF_INV_CONSTF_CACHE       0xC0001200u
#define AMU_CBUF_INV_CONSTI_CACHE       0xC0001300u
#define AMU_CBUF_INV_CONSTB_CACHE       0xC0001400u
#define AMU_CBUF_INV_COND_OUT_CACHE     0xC0001500u
#define AMU_CBUF_INV_INP_CACHE          0xC0001600u
#define AMU_CBUF_FLUSH_OUT_CACHE        0xC0001700u
#define AMU_CBUF_FLUSH_COND_OUT_CACHE   0xC0001800u
#define AMU_CBUF_SET_OUT_MASK           0xC0001900u
#define AMU_CBUF_SET_COND_OUT_MASK      0xC0001A00u
#define AMU_CBUF_SET_COND_TEST          0xC0001B00u
#define AMU_CBUF_SET_COND_LOC           0xC0001C00u
#define AMU_CBUF_SET_PARAMS             0xC0001D00u
#define AMU_CBUF_SET_SHARED             0xC0011E00u /* an extension: docs/sharing.md */
/* A format parameter. The pitch is in elements, a multiple of 4 up to 8188. */
#define AMU_CBUF_FORMAT(format, tiling, pitch)                                                     \
    (((unsigned int)(format) & 15u) << 24 | ((unsigned int)(tiling) & 3u) << 16                     \
     | ((unsigned int)(pitch) & 0x1ffcu))

#endif
