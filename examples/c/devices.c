/*
 * Two devices, two threads, 10,000 submissions each; most are not waited for. Each submission adds
 * 1 to each of 64 numbers, alternately from one surface to the other and back.
 *
 *     cc -I include examples/c/devices.c -L target/release -lctm -lpthread -o devices
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amDeviceManaged.h"
#include "amuAsm.h"
#include "amuCbufTypes.h"
#include "ctm.h"

static const char source[] =
    "    ld  r1.r, i0[r0.rg]\n"
    "    add o0.r, r1.r, 1\n";

enum { POINTS = 64, WORDS = 24 };

static void print(const char *message) { fputs(message, stderr); }

static void *fail(const char *what) {
    fprintf(stderr, "devices: %s: %s\n", what, ctm_last_error());
    return (void *)what;
}

static void commands(AMuint32 *words, AMuint32 program, AMuint32 from, AMuint32 to) {
    const AMuint32 format =
        AMU_CBUF_FORMAT(AMU_CBUF_FLD_FORMAT_FLOAT32_1, AMU_CBUF_FLD_TILING_LINEAR, POINTS);
    const AMuint32 all[WORDS] = {
        AMU_CBUF_SET_INP_FMT,     0,       from, format, 1,
        AMU_CBUF_SET_OUT_FMT,     0,       to,   format, 1,
        AMU_CBUF_INV_INP_CACHE,   0,
        AMU_CBUF_SET_INST_FMT,    program, 0,
        AMU_CBUF_SET_DOMAIN,      0,       0,    POINTS - 1, 0,
        AMU_CBUF_START_PROGRAM,   0,
        AMU_CBUF_FLUSH_OUT_CACHE, 0,
    };
    memcpy(words, all, sizeof all);
}

static void *client(void *argument) {
    const int submissions = *(const int *)argument;
    AMmanagedDeviceInfo info;
    AMmanagedDevice device = amOpenManagedConnection("/dev/pcie0", &info);
    AMuint32 sys, id = 0, size;
    unsigned char *cpu;
    void *binary;
    float *numbers;
    int n;

    if (device == NULL) return fail("cannot open a device");
    sys = info.baseAddressSYSc;
    cpu = info.baseAddressCPUc;
    if (!amuAsmAssemble(source, (AMuint32)strlen(source), &size, &binary, print))
        return fail("cannot assemble");
    memcpy(cpu + 0x1000, binary, size);
    ctm_free(binary);
    commands((AMuint32 *)cpu, sys + 0x1000, sys + 0x2000, sys + 0x2800);
    commands((AMuint32 *)(cpu + 0x800), sys + 0x1000, sys + 0x2800, sys + 0x2000);
    numbers = (float *)(cpu + 0x2000);
    for (n = 0; n < POINTS; n++) numbers[n] = (float)n;

    for (n = 0; n < submissions; n++) {
        const AMuint32 last = id;
        id = amSubmitCommandBuffer(device, sys + (n % 2 ? 0x800 : 0), WORDS);
        if (id == 0 || id == last) return fail("a submission has no id of its own");
        if (n % 100 == 99)
            while (amCommandBufferConsumed(device, id) == 0) {}
    }
    while (amCommandBufferConsumed(device, id) == 0) {}
    if (ctm_status(device, id) != CTM_STATUS_CLEAN) return fail("a submission failed");

    numbers = (float *)(cpu + (submissions % 2 ? 0x2800 : 0x2000));
    for (n = 0; n < POINTS; n++)
        if (numbers[n] != (float)(n + submissions)) {
            fprintf(stderr, "devices: number %d is %g, expected %d\n", n, numbers[n],
                    n + submissions);
            return (void *)"wrong";
        }
    amCloseManagedConnection(device);
    return NULL;
}

int main(int argc, char **argv) {
    int submissions = argc > 1 ? atoi(argv[1]) : 10000;
    pthread_t threads[2];
    int n, failed = 0;

    for (n = 0; n < 2; n++)
        if (pthread_create(&threads[n], NULL, client, &submissions) != 0) return 1;
    for (n = 0; n < 2; n++) {
        void *result;
        pthread_join(threads[n], &result);
        if (result != NULL) failed = 1;
    }
    if (failed) return 1;
    printf("devices: 2 x %d submissions are right\n", submissions);
    return 0;
}
