/*
 * This project's additions to CTM's interface: errors, settings, direct access, statistics.
 *
 * Part of ctm, an emulator of ATI's CTM Data Parallel Processor (docs/c-api.md).
 * C99 and C++98.
 *
 * Functions that return int return 1, or 0 if they refuse; ctm_last_error() then says why.
 * Functions with `text` and `size` write at most `size` bytes to `text`, including the terminating
 * zero. They return the length of the whole text without the zero. `text` may be NULL to get only
 * the length.
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

/* The library's version, such as "0.1.0". */
const char *ctm_version(void);

/* ---- errors ---- */

/*
 * The last error of the calling thread, or "" if there was none: the reason why a call was refused,
 * or the error of a submission that amCommandBufferConsumed or ctm_wait found complete. Valid until
 * the thread's next call. With CTM_LOG=1 in the environment, every error is also printed on
 * standard error.
 */
const char *ctm_last_error(void);
void ctm_clear_error(void);

/* ---- opening a device ---- */

/* The names of the engines. The first is "auto", the best one. NULL after the last. */
const char *ctm_engine_name(AMuint32 index);

/* Values of floatMode. Exact: one defined arithmetic, the same bits on every engine and machine, with nearest
 * products where the card cuts. Fast: the host's arithmetic. Chip: a real card's products and sums. */
#define CTM_FLOAT_EXACT 0u
#define CTM_FLOAT_FAST 1u
#define CTM_FLOAT_CHIP 2u

typedef struct ctm_config {
    AMuint32 structSize; /* set by ctm_config_init */
    AMuint32 floatMode;
    AMuint32 statistics; /* not 0: keep statistics for all submissions */
    AMuint32 arenaSizeGPU;
    AMuint32 arenaSizeGPUb;
    AMuint32 arenaSizeSYS;
    AMuint32 arenaSizeSYSc;
    AMuint32 instructionLimit; /* the budget of a group, checked at its branch and loop
                                  instructions; above it is a fault, so that nothing hangs */
    const char *engine;  /* NULL: the engine that CTM_ENGINE names, else "auto" */
    const char *adapter; /* for an engine on a GPU: its number or part of its name; NULL: the
                            adapter that CTM_ADAPTER names, else the best GPU */
    AMuint32 coherence;  /* not 0: report a hazard where a command that invalidates or flushes a
                            cache is missing; waits for each launch */
} ctm_config;

/*
 * Fills a configuration with the settings of amOpenManagedConnection: the defaults, changed by the
 * environment variables CTM_ENGINE, CTM_ADAPTER, CTM_FLOAT (exact, fast, chip), CTM_STATISTICS (0, 1),
 * CTM_COHERENCE (0, 1), CTM_ARENA_GPU, CTM_ARENA_GPUB, CTM_ARENA_SYS and CTM_ARENA_SYSC (bytes, or with K or M).
 * Another one, CTM_RECORD, names a file in which the devices are recorded (see ctm_record).
 */
int ctm_config_init(ctm_config *config);

/* Opens a device. NULL for `config` means the settings of ctm_config_init. Otherwise the same as
 * amOpenManagedConnection. */
AMmanagedDevice ctm_open(const ctm_config *config, AMmanagedDeviceInfo *info);

/*
 * Records all devices that are opened from now on in this file, which must not exist yet
 * (docs/recordings.md). NULL: devices opened from now on are not recorded. Without a call, the
 * environment variable CTM_RECORD names the file. A recording that fails later prints one line on
 * standard error; the devices go on unrecorded.
 */
int ctm_record(const char *file);

/* Fills `info` as amOpenManagedConnection does. */
int ctm_device_info(AMmanagedDevice device, AMmanagedDeviceInfo *info);

/* The name of the engine, and of the adapter that it runs on ("" on the host's CPU). */
AMuint32 ctm_device_engine(AMmanagedDevice device, char *text, AMuint32 size);
AMuint32 ctm_device_adapter(AMmanagedDevice device, char *text, AMuint32 size);

/* ---- submissions ---- */

/* The status of a submission. */
#define CTM_STATUS_PENDING 0u   /* not complete */
#define CTM_STATUS_CLEAN 1u     /* complete, without errors and faults */
#define CTM_STATUS_FAULT 2u     /* complete, some points had faults */
#define CTM_STATUS_ERROR 3u     /* ended by an error; everything before it has taken effect */
#define CTM_STATUS_FORGOTTEN 4u /* complete, but too old: only the last 4096 are kept */
#define CTM_STATUS_REFUSED 5u   /* no such submission, or the device was closed */

/* Copies words from the client's memory and submits them. Otherwise as amSubmitCommandBuffer. */
AMuint32 ctm_submit_words(AMmanagedDevice device, const AMuint32 *words, AMuint32 count);

/* Returns the status of a submission without waiting. */
AMuint32 ctm_status(AMmanagedDevice device, AMuint32 id);

/* Waits until a submission is complete, without spinning. Never returns CTM_STATUS_PENDING. */
AMuint32 ctm_wait(AMmanagedDevice device, AMuint32 id);

/*
 * Stops a running or pending submission; does nothing to a complete one. The submission becomes
 * complete, with CTM_STATUS_ERROR, within a second on the CPU and after the running slice or
 * dispatch on a GPU. Everything before the stopped launch has taken effect. Each group of points of
 * that launch has made all its writes or none; which groups is not specified.
 */
int ctm_cancel(AMmanagedDevice device, AMuint32 id);

/* Waits until all submissions so far are complete. */
int ctm_wait_idle(AMmanagedDevice device);

/* The messages of a submission, one line each: error, faults, hazards, warnings. Waits for the
 * submission. */
AMuint32 ctm_message(AMmanagedDevice device, AMuint32 id, char *text, AMuint32 size);

/* The statistics of a submission. */
typedef struct ctm_statistics {
    ctm_uint64 launches;         /* programs started */
    ctm_uint64 groups;           /* groups of 64 points that ran */
    ctm_uint64 points;           /* points covered at the start */
    ctm_uint64 alu;              /* group instructions of type ALU, including idle ones */
    ctm_uint64 out;              /* of type OUT */
    ctm_uint64 tex;              /* of type TEX */
    ctm_uint64 texFetching;      /* of type TEX that fetch */
    ctm_uint64 fc;               /* of type FC */
    ctm_uint64 laneInstructions; /* active points, summed over the group instructions */
    ctm_uint64 fetches;          /* active points, summed over the fetching ones */
    ctm_uint64 divergent;        /* FC instructions whose points disagreed */
    ctm_uint64 killed;           /* points killed */
} ctm_statistics;

/* The statistics of a submission, on a device that keeps them. Waits for the submission. */
int ctm_get_statistics(AMmanagedDevice device, AMuint32 id, ctm_statistics *statistics);

/* ---- memory ---- */

/* Read and write device memory, including GPU memory, between two submissions. */
int ctm_read(AMmanagedDevice device, AMuint32 address, void *to, AMuint32 size);
int ctm_write(AMmanagedDevice device, AMuint32 address, const void *from, AMuint32 size);

/* Frees an executable of amuCompCompile or amuAsmAssemble, as free() does. */
void ctm_free(void *memory);

/* Frees the arrays of amuABIExtractConstants and empties `info`. Copies of it become invalid. */
void ctm_free_constants(AMUabiConstsInfo *info);

#ifdef __cplusplus
}
#endif

#endif
