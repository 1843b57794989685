/*
 * What this project adds to CTM's interface: errors, choices, direct access, statistics.
 *
 * Part of ctm, an emulator of ATI's CTM Data Parallel Processor (docs/c-api.md).
 * C99 and C++98.
 *
 * Functions that return int return 1, or 0 when they refuse; ctm_last_error() then says why.
 * Functions that give text write at most `size` bytes to `text`, the terminating zero included, and
 * return the length of all of it without the zero; `text` may be NULL to ask for the length.
 */
#ifndef CTM_H
#define CTM_H

#include "amDeviceManaged.h"
#include "amuABI.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 64 bits. */
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wlong-long" /* C++98 has no name for it */
#endif
typedef unsigned long long ctm_uint64;
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

/* The library's version, as "0.1.0". */
const char *ctm_version(void);

/* ---- errors ---- */

/*
 * The last error of the calling thread, "" if there was none: why a call was refused, or what was
 * wrong with a submission that amCommandBufferConsumed or ctm_wait found complete. Valid until
 * the thread's next call. With CTM_LOG=1 in the environment, every error is also printed on
 * standard error.
 */
const char *ctm_last_error(void);
void ctm_clear_error(void);

/* ---- opening a device ---- */

/* The names of the engines: "auto", the best one, first. NULL behind the last. */
const char *ctm_engine_name(AMuint32 index);

/* Values of floatMode: the chip's arithmetic to the bit, or the host's. */
#define CTM_FLOAT_EXACT 0u
#define CTM_FLOAT_FAST 1u

typedef struct ctm_config {
    AMuint32 structSize; /* set by ctm_config_init */
    AMuint32 floatMode;
    AMuint32 statistics; /* not 0: keep statistics of all submissions */
    AMuint32 arenaSizeGPU;
    AMuint32 arenaSizeGPUb;
    AMuint32 arenaSizeSYS;
    AMuint32 arenaSizeSYSc;
    AMuint32 instructionLimit; /* that a group may execute before its next branch or loop
                                  instruction; above it is a fault, so that nothing hangs */
    const char *engine;  /* NULL: as the environment says, else "auto" */
    const char *adapter; /* of an engine on a GPU, its number or a part of its name; NULL: as
                            CTM_ADAPTER says, else the best GPU */
} ctm_config;

/*
 * Fills a configuration with what amOpenManagedConnection uses: the defaults, changed by the
 * environment variables CTM_ENGINE, CTM_ADAPTER, CTM_FLOAT (exact, fast), CTM_STATISTICS (0, 1),
 * CTM_ARENA_GPU, CTM_ARENA_GPUB, CTM_ARENA_SYS and CTM_ARENA_SYSC (bytes, or with K or M).
 */
int ctm_config_init(ctm_config *config);

/* Opens a device; NULL for `config` means as ctm_config_init fills it. Else as
 * amOpenManagedConnection. */
AMmanagedDevice ctm_open(const ctm_config *config, AMmanagedDeviceInfo *info);

/* What amOpenManagedConnection told. */
int ctm_device_info(AMmanagedDevice device, AMmanagedDeviceInfo *info);

/* The engine's name, and the adapter it runs on ("" on the host's CPU). */
AMuint32 ctm_device_engine(AMmanagedDevice device, char *text, AMuint32 size);
AMuint32 ctm_device_adapter(AMmanagedDevice device, char *text, AMuint32 size);

/* ---- submissions ---- */

/* How a submission stands. */
#define CTM_STATUS_PENDING 0u   /* not complete */
#define CTM_STATUS_CLEAN 1u     /* complete, nothing was wrong */
#define CTM_STATUS_FAULT 2u     /* complete, some points had faults */
#define CTM_STATUS_ERROR 3u     /* ended by an error; what came before has taken effect */
#define CTM_STATUS_FORGOTTEN 4u /* complete, but only the last 4096 are remembered */
#define CTM_STATUS_REFUSED 5u   /* no such submission, or the device was closed */

/* Submits words of the client's memory, which are copied. Else as amSubmitCommandBuffer. */
AMuint32 ctm_submit_words(AMmanagedDevice device, const AMuint32 *words, AMuint32 count);

/* How a submission stands, without waiting. */
AMuint32 ctm_status(AMmanagedDevice device, AMuint32 id);

/* Waits until a submission is complete, without spinning; never CTM_STATUS_PENDING. */
AMuint32 ctm_wait(AMmanagedDevice device, AMuint32 id);

/*
 * Stops a submission that runs or is pending; does nothing to one that is complete. It becomes
 * complete soon, with CTM_STATUS_ERROR: on the CPU within a second, on a GPU after the slice or
 * dispatch that runs. What came before the launch that was stopped has taken effect; of that launch
 * each group of points has written all that it writes, or nothing, and which ones is not specified.
 */
int ctm_cancel(AMmanagedDevice device, AMuint32 id);

/* Waits until everything submitted so far is complete. */
int ctm_wait_idle(AMmanagedDevice device);

/* Everything that is to be said about a submission, a line each: error, faults, hazards, warnings.
 * Waits for it. */
AMuint32 ctm_message(AMmanagedDevice device, AMuint32 id, char *text, AMuint32 size);

/* Counts of a submission. */
typedef struct ctm_statistics {
    ctm_uint64 launches;         /* programs started */
    ctm_uint64 groups;           /* groups of 64 points that ran */
    ctm_uint64 points;           /* points covered at the start */
    ctm_uint64 alu;              /* group instructions of type ALU, idle ones included */
    ctm_uint64 out;              /* of type OUT */
    ctm_uint64 tex;              /* of type TEX */
    ctm_uint64 texFetching;      /* of type TEX that fetch */
    ctm_uint64 fc;               /* of type FC */
    ctm_uint64 laneInstructions; /* active points, summed over the group instructions */
    ctm_uint64 fetches;          /* active points, summed over the fetching ones */
    ctm_uint64 divergent;        /* FC instructions whose points disagreed */
    ctm_uint64 killed;           /* points killed */
} ctm_statistics;

/* Counts of a submission on a device that keeps them. Waits for it. */
int ctm_get_statistics(AMmanagedDevice device, AMuint32 id, ctm_statistics *statistics);

/* ---- memory ---- */

/* Read and write device memory, GPU memory included, between two submissions. */
int ctm_read(AMmanagedDevice device, AMuint32 address, void *to, AMuint32 size);
int ctm_write(AMmanagedDevice device, AMuint32 address, const void *from, AMuint32 size);

/* Frees an executable of amuCompCompile or amuAsmAssemble; free() does too. */
void ctm_free(void *memory);

/* Frees the arrays of amuABIExtractConstants and makes `info` empty. Copies of it are void then. */
void ctm_free_constants(AMUabiConstsInfo *info);

#ifdef __cplusplus
}
#endif

#endif
