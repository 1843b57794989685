/*
 * Measures submissions: empty ones, one at a time, from submit to consumed; and those of a kernel
 * on 64 points, as fast as possible.
 *
 *     cc -O2 -I include examples/c/throughput.c -L target/release -lctm -o throughput
 */
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "amDeviceManaged.h"
#include "amuAsm.h"
#include "amuCbufTypes.h"
#include "ctm.h"

static const char source[] =
    "    ld  r1, i0[r0.rg]\n"
    "    mad o0, r1, c0, c1\n";

static void print(const char *message) { fputs(message, stderr); }

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int fail(const char *what) {
    fprintf(stderr, "throughput: %s: %s\n", what, ctm_last_error());
    return 1;
}

int main(int argc, char **argv) {
    const int submissions = argc > 1 ? atoi(argv[1]) : 100000;
    enum { TIMES = 20000 };
    static double times[TIMES];
    AMmanagedDeviceInfo info;
    AMmanagedDevice device = amOpenManagedConnection("/dev/pcie0", &info);
    AMuint32 sys, id = 0, size;
    unsigned char *cpu;
    char engine[32];
    void *binary;
    double start, spent;
    int n;

    if (device == NULL) return fail("cannot open the device");
    sys = info.baseAddressSYSc;
    cpu = info.baseAddressCPUc;
    ctm_device_engine(device, engine, sizeof engine);
    if (!amuAsmAssemble(source, (AMuint32)strlen(source), &size, &binary, print))
        return fail("cannot assemble");
    memcpy(cpu + 0x1000, binary, size);
    ctm_free(binary);
    {
        const AMuint32 format =
            AMU_CBUF_FORMAT(AMU_CBUF_FLD_FORMAT_FLOAT32_4, AMU_CBUF_FLD_TILING_LINEAR, 64);
        const AMuint32 words[] = {
            AMU_CBUF_SET_INP_FMT,     0,            sys + 0x10000, format, 1,
            AMU_CBUF_SET_OUT_FMT,     0,            sys + 0x20000, format, 1,
            AMU_CBUF_INV_INP_CACHE,   0,
            AMU_CBUF_SET_INST_FMT,    sys + 0x1000, 0,
            AMU_CBUF_INV_INST_CACHE,  0,
            AMU_CBUF_SET_CONSTF_FMT,  sys + 0x8000, 0,
            AMU_CBUF_INV_CONSTF_CACHE, 0,
            AMU_CBUF_SET_DOMAIN,      0,            0,             63,     0,
            AMU_CBUF_START_PROGRAM,   0,
            AMU_CBUF_FLUSH_OUT_CACHE, 0,
        };
        memcpy(cpu, words, sizeof words);
        size = sizeof words / 4;
    }

    for (n = 0; n < TIMES; n++) {
        start = seconds();
        id = amSubmitCommandBuffer(device, sys, 0);
        while (!amCommandBufferConsumed(device, id)) {}
        times[n] = seconds() - start;
    }
    qsort(times, TIMES, sizeof times[0], compare);
    printf("%s: empty buffer, submit to consumed: median %.2f us, 99 of 100 below %.2f us\n",
           engine, 1e6 * times[TIMES / 2], 1e6 * times[TIMES / 100 * 99]);

    for (n = 0; n < TIMES / 10; n++) {
        start = seconds();
        id = amSubmitCommandBuffer(device, sys, size);
        while (!amCommandBufferConsumed(device, id)) {}
        times[n] = seconds() - start;
    }
    qsort(times, TIMES / 10, sizeof times[0], compare);
    printf("%s: 64 points, submit to consumed: median %.2f us\n", engine,
           1e6 * times[TIMES / 20]);

    start = seconds();
    for (n = 0; n < submissions; n++) id = amSubmitCommandBuffer(device, sys, size);
    while (!amCommandBufferConsumed(device, id)) {}
    spent = seconds() - start;
    if (ctm_status(device, id) != CTM_STATUS_CLEAN) return fail("a submission failed");
    printf("%s: %d submissions of 64 points: %.0f per second\n", engine, submissions,
           submissions / spent);
    amCloseManagedConnection(device);
    return 0;
}
