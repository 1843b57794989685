/*
 * The smallest client: one kernel, its command buffer written word by word.
 *
 *     cc -I include examples/c/saxpy.c -L target/release -lctm -o saxpy
 */
#include <stdio.h>
#include <string.h>

#include "amDeviceManaged.h"
#include "amuAsm.h"
#include "amuCbufTypes.h"
#include "ctm.h"

/* a * x + y; each point computes four numbers. */
static const char source[] =
    ".input  x      i0\n"
    ".input  y      i1\n"
    ".output result o0\n"
    ".const  a      c0\n"
    "    ld   r1, x[r0.rg]\n"
    "    ld   r2, y[r0.rg]\n"
    "    mad  result, a.r, r1, r2\n";

enum { WIDTH = 64, HEIGHT = 16, COUNT = WIDTH * HEIGHT * 4, BYTES = COUNT * 4 };

static void print(const char *message) { fputs(message, stderr); }

static int fail(const char *what) {
    fprintf(stderr, "saxpy: %s: %s\n", what, ctm_last_error());
    return 1;
}

int main(void) {
    AMmanagedDeviceInfo info;
    AMmanagedDevice device;
    AMuint32 sys, program, constants, x, y, result, id, size, n, words[64];
    unsigned char *cpu;
    void *binary;
    float *xs, *ys, *results, *a;

    device = amOpenManagedConnection("/dev/pcie0", &info);
    if (device == NULL) return fail("cannot open the device");

    /* Everything is in system memory here, at multiples of 2 KiB. */
    sys = info.baseAddressSYSc;
    cpu = info.baseAddressCPUc;
    program = sys + 0x1000;
    constants = sys + 0x8000;
    x = sys + 0x10000;
    y = x + BYTES;
    result = y + BYTES;

    if (!amuAsmAssemble(source, (AMuint32)strlen(source), &size, &binary, print))
        return fail("cannot assemble");
    memcpy(cpu + (program - sys), binary, size);
    ctm_free(binary);

    a = (float *)(cpu + (constants - sys));
    a[0] = 2.5f;
    xs = (float *)(cpu + (x - sys));
    ys = (float *)(cpu + (y - sys));
    results = (float *)(cpu + (result - sys));
    for (n = 0; n < COUNT; n++) {
        xs[n] = (float)n;
        ys[n] = 1000.0f - (float)n;
        results[n] = -1.0f;
    }

    n = 0;
    words[n++] = AMU_CBUF_SET_INP_FMT;
    words[n++] = 0;
    words[n++] = x;
    words[n++] = AMU_CBUF_FORMAT(AMU_CBUF_FLD_FORMAT_FLOAT32_4, AMU_CBUF_FLD_TILING_LINEAR, WIDTH);
    words[n++] = HEIGHT;
    words[n++] = AMU_CBUF_SET_INP_FMT;
    words[n++] = 1;
    words[n++] = y;
    words[n++] = AMU_CBUF_FORMAT(AMU_CBUF_FLD_FORMAT_FLOAT32_4, AMU_CBUF_FLD_TILING_LINEAR, WIDTH);
    words[n++] = HEIGHT;
    words[n++] = AMU_CBUF_SET_OUT_FMT;
    words[n++] = 0;
    words[n++] = result;
    words[n++] = AMU_CBUF_FORMAT(AMU_CBUF_FLD_FORMAT_FLOAT32_4, AMU_CBUF_FLD_TILING_LINEAR, WIDTH);
    words[n++] = HEIGHT;
    words[n++] = AMU_CBUF_INV_INP_CACHE;
    words[n++] = 0;
    words[n++] = AMU_CBUF_SET_INST_FMT;
    words[n++] = program;
    words[n++] = 0;
    words[n++] = AMU_CBUF_INV_INST_CACHE;
    words[n++] = 0;
    words[n++] = AMU_CBUF_SET_CONSTF_FMT;
    words[n++] = constants;
    words[n++] = 0;
    words[n++] = AMU_CBUF_INV_CONSTF_CACHE;
    words[n++] = 0;
    words[n++] = AMU_CBUF_SET_DOMAIN;
    words[n++] = 0;
    words[n++] = 0;
    words[n++] = WIDTH - 1;
    words[n++] = HEIGHT - 1;
    words[n++] = AMU_CBUF_START_PROGRAM;
    words[n++] = 0;
    words[n++] = AMU_CBUF_FLUSH_OUT_CACHE;
    words[n++] = 0;
    memcpy(cpu, words, 4 * n);

    id = amSubmitCommandBuffer(device, sys, n);
    if (id == 0) return fail("cannot submit");
    while (!amCommandBufferConsumed(device, id)) {}
    if (ctm_status(device, id) != CTM_STATUS_CLEAN) return fail("the submission failed");

    for (n = 0; n < COUNT; n++) {
        float expected = 2.5f * xs[n] + ys[n];
        if (results[n] != expected) {
            fprintf(stderr, "saxpy: result %u is %g, expected %g\n", n, results[n], expected);
            return 1;
        }
    }
    amCloseManagedConnection(device);
    printf("saxpy: %d results are right\n", (int)COUNT);
    return 0;
}
