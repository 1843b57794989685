/*
 * Conditional execution over several passes, with performance counters: a depth test of sloping
 * planes at location DPP, then a second test of the remaining points at location PE.
 *
 *     cc -I include examples/c/passes.c -L target/release -lctm -o passes
 */
#include <stdio.h>
#include <string.h>

#include "amDeviceManaged.h"
#include "amuAsm.h"
#include "amuCbufTypes.h"
#include "ctm.h"

/* Depth c0.r + c0.g i + c0.b j is the point's own conditional value; the colour is c1. */
static const char plane[] =
    "    mul r1.rg, r0, c0.gb\n"
    "    add r1.r, r1.r, r1.g\n"
    "    add w, r1.r, c0.r\n"
    "    mov o0.r, c1.r\n";

/* Marks the points that run. */
static const char mark[] = "    mov o0.r, c1.r\n";

enum { WIDTH = 96, HEIGHT = 64, POINTS = WIDTH * HEIGHT, PLANES = 12 };

static AMmanagedDeviceInfo info;
static AMmanagedDevice device;

static void print(const char *message) { fputs(message, stderr); }

static void *host(AMuint32 address) {
    return (unsigned char *)info.baseAddressCPUc + (address - info.baseAddressSYSc);
}

static int fail(const char *what) {
    fprintf(stderr, "passes: %s: %s\n", what, ctm_last_error());
    return 1;
}

static AMuint32 place(AMuint32 offset) { return info.baseAddressSYSc + offset; }

static int load(const char *source, AMuint32 address) {
    AMuint32 size;
    void *binary;
    if (!amuAsmAssemble(source, (AMuint32)strlen(source), &size, &binary, print)) return 0;
    memcpy(host(address), binary, size);
    ctm_free(binary);
    return 1;
}

static AMuint32 bits(float value) {
    AMuint32 word;
    memcpy(&word, &value, 4);
    return word;
}

/* The coefficients of a plane: sums of eighths, so that depths are exact. */
static void coefficients(int n, float *c) {
    c[0] = 100.0f + 3.0f * (float)(n % 5) - (float)n;
    c[1] = 0.125f * (float)(n * 7 % 11 - 5);
    c[2] = 0.125f * (float)(n * 5 % 9 - 4);
}

int main(void) {
    static float depth[POINTS], colour[POINTS];
    const AMuint32 format =
        AMU_CBUF_FORMAT(AMU_CBUF_FLD_FORMAT_FLOAT32_1, AMU_CBUF_FLD_TILING_TILED0, WIDTH);
    const AMuint32 linear =
        AMU_CBUF_FORMAT(AMU_CBUF_FLD_FORMAT_FLOAT32_1, AMU_CBUF_FLD_TILING_LINEAR, WIDTH);
    AMuint32 colours, depths, planes, marks, counters, words[64], n = 0, id, total, active, marked;
    float *out, middle;
    int p, i;

    device = amOpenManagedConnection("/dev/pcie0", &info);
    if (device == NULL) return fail("cannot open the device");
    planes = place(0x10000);
    marks = place(0x18000);
    counters = place(0x20000);
    colours = place(0x100000);
    depths = info.baseAddressGPU;
    if (!load(plane, planes) || !load(mark, marks)) return fail("cannot assemble");

    for (i = 0; i < POINTS; i++) {
        depth[i] = 1e6f;
        colour[i] = -1;
    }
    /* The depth buffer is tiled and in GPU memory; all elements start with the same value. */
    if (!ctm_write(device, depths, depth, sizeof depth)) return fail("cannot write");
    memcpy(host(colours), colour, sizeof colour);

    /* Draw the planes. Each pass has its own constants, and only the nearest plane stays. */
    words[n++] = AMU_CBUF_INIT_PERF_COUNTERS;
    words[n++] = 1;
    words[n++] = AMU_CBUF_START_PERF_COUNTERS;
    words[n++] = 0;
    words[n++] = AMU_CBUF_SET_INST_FMT;
    words[n++] = planes;
    words[n++] = 0;
    words[n++] = AMU_CBUF_SET_OUT_FMT;
    words[n++] = 0;
    words[n++] = colours;
    words[n++] = linear;
    words[n++] = HEIGHT;
    words[n++] = AMU_CBUF_SET_COND_OUT_FMT;
    words[n++] = depths;
    words[n++] = format;
    words[n++] = HEIGHT;
    words[n++] = AMU_CBUF_SET_COND_TEST;
    words[n++] = AMU_CBUF_FLD_COND_TEST_LESS;
    words[n++] = AMU_CBUF_SET_COND_LOC;
    words[n++] = AMU_CBUF_FLD_COND_LOC_DPP;
    words[n++] = AMU_CBUF_SET_DOMAIN;
    words[n++] = 0;
    words[n++] = 0;
    words[n++] = WIDTH - 1;
    words[n++] = HEIGHT - 1;
    for (p = 0; p < PLANES; p++) {
        const AMuint32 constants = place(0x30000 + 0x800 * (AMuint32)p);
        float *c = host(constants);
        coefficients(p, c);
        c[4] = (float)p;
        words[n] = AMU_CBUF_SET_CONSTF_FMT;
        words[n + 1] = constants;
        words[n + 2] = 0;
        words[n + 3] = AMU_CBUF_INV_CONSTF_CACHE;
        words[n + 4] = 0;
        words[n + 5] = AMU_CBUF_START_PROGRAM;
        words[n + 6] = 0;
        /* The colours are in system memory, where the host reads them. */
        words[n + 7] = AMU_CBUF_FLUSH_OUT_CACHE;
        words[n + 8] = 0;
        words[n + 9] = AMU_CBUF_WAIT_FOR_IDLE;
        words[n + 10] = 0;
        id = ctm_submit_words(device, words, n + 11);
        if (ctm_wait(device, id) != CTM_STATUS_CLEAN) return fail("a pass failed");
        /* The state persists: the next passes only set constants. */
        n = 0;
    }

    for (i = 0; i < POINTS; i++)
        for (p = 0; p < PLANES; p++) {
            float c[3], d;
            coefficients(p, c);
            d = c[1] * (float)(i % WIDTH) + c[2] * (float)(i / WIDTH) + c[0];
            if (d < depth[i]) {
                depth[i] = d;
                colour[i] = (float)p;
            }
        }

    /* Mark the points deeper than the one in the middle: location PE compares the PE's value with
     * the buffer. The buffer must not change. */
    middle = depth[HEIGHT / 2 * WIDTH + WIDTH / 2];
    ((float *)host(place(0x30000)))[4] = 1000;
    n = 0;
    words[n++] = AMU_CBUF_SET_INST_FMT;
    words[n++] = marks;
    words[n++] = 0;
    /* Another program than before. */
    words[n++] = AMU_CBUF_INV_INST_CACHE;
    words[n++] = 0;
    words[n++] = AMU_CBUF_SET_CONSTF_FMT;
    words[n++] = place(0x30000);
    words[n++] = 0;
    words[n++] = AMU_CBUF_SET_COND_LOC;
    words[n++] = AMU_CBUF_FLD_COND_LOC_PE;
    words[n++] = AMU_CBUF_SET_COND_TEST;
    words[n++] = AMU_CBUF_FLD_COND_TEST_LESS;
    words[n++] = AMU_CBUF_SET_COND_VAL;
    words[n++] = bits(middle);
    words[n++] = AMU_CBUF_SET_COND_OUT_MASK;
    words[n++] = 0;
    words[n++] = AMU_CBUF_START_PROGRAM;
    words[n++] = 0;
    words[n++] = AMU_CBUF_FLUSH_OUT_CACHE;
    words[n++] = 0;
    words[n++] = AMU_CBUF_WAIT_FOR_IDLE;
    words[n++] = 0;
    words[n++] = AMU_CBUF_STOP_PERF_COUNTERS;
    words[n++] = 0;
    words[n++] = AMU_CBUF_READ_PERF_COUNTERS;
    words[n++] = counters;
    id = ctm_submit_words(device, words, n);
    if (ctm_wait(device, id) != CTM_STATUS_CLEAN) return fail("the last pass failed");

    marked = 0;
    out = host(colours);
    for (i = 0; i < POINTS; i++) {
        if (middle < depth[i]) {
            colour[i] = 1000;
            marked++;
        }
        if (out[i] != colour[i]) {
            fprintf(stderr, "passes: point (%d, %d) is %g, expected %g\n", i % WIDTH, i / WIDTH,
                    out[i], colour[i]);
            return 1;
        }
    }
    if (marked == 0 || marked == POINTS) return fail("the last pass tests nothing");
    total = ((AMuint32 *)host(counters))[0];
    active = ((AMuint32 *)host(counters))[1];
    if (active == 0 || total <= active) return fail("the counters did not count");
    amCloseManagedConnection(device);
    printf("passes: %d points are right, %u marked, %u clocks, %u of them active\n", (int)POINTS,
           marked, total, active);
    return 0;
}
