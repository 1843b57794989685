/*
 * A client whose thread is interrupted by a timer while it computes: the kernels of the block engine change the
 * environment of the floats, and neither the handler nor the client may see that.
 */
#define _XOPEN_SOURCE 700
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

#include "amDeviceManaged.h"
#include "amuAsm.h"
#include "amuCbufTypes.h"
#include "ctm.h"

enum { SIDE = 16, COUNT = SIDE * SIDE * 4, BYTES = COUNT * 4, ROUNDS = 100, SIGNALS = 200 };

static volatile sig_atomic_t signals, wrong;

/* Whether denormals are numbers, as C says. */
static int has_denormals(void) {
    volatile float least = 1.4012985e-45f, normal = 1.17549435e-38f;
    return least * 2.0f != 0.0f && normal * 0.5f != 0.0f;
}

static void on_signal(int number) {
    (void)number;
    signals++;
    if (!has_denormals()) wrong = 1;
}

static void print(const char *message) { fputs(message, stderr); }

static int fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, ctm_last_error());
    return 1;
}

int main(void) {
    static char source[100 + ROUNDS * 40];
    static float first[COUNT];
    AMmanagedDeviceInfo info;
    AMuint32 sys, program, constants, x, result, id, size, n, round, words[64];
    unsigned char *cpu;
    void *binary;
    float *xs, *results;
    struct sigaction action;
    struct itimerval timer = {{0, 50}, {0, 50}};
    AMmanagedDevice device = amOpenManagedConnection("/dev/pcie0", &info);
    if (device == NULL) return fail("cannot open the device");

    sys = info.baseAddressSYSc;
    cpu = info.baseAddressCPUc;
    program = sys + 0x4000;
    constants = sys + 0x10000;
    x = sys + 0x20000;
    result = x + BYTES;

    /* What the chip flushes, and products that are denormal between two operations. */
    strcpy(source, "ld r1, i0[r0.rg]\nmov r2, r1\n");
    for (round = 0; round < ROUNDS; round++) strcat(source, "mad r2, r1, c0.r, r2\nmul r1, r1, c0.g\n");
    strcat(source, "mov o0, r2\n");
    if (!amuAsmAssemble(source, (AMuint32)strlen(source), &size, &binary, print))
        return fail("cannot assemble");
    memcpy(cpu + (program - sys), binary, size);
    ctm_free(binary);
    memset(cpu + (constants - sys), 0, 4096);
    ((float *)(cpu + (constants - sys)))[0] = 0.5f;
    ((float *)(cpu + (constants - sys)))[1] = 0.75f;
    xs = (float *)(cpu + (x - sys));
    results = (float *)(cpu + (result - sys));
    for (n = 0; n < COUNT; n++) xs[n] = 1.17549435e-38f * (float)(n + 1) / 64.0f;

    n = 0;
    words[n++] = AMU_CBUF_SET_INP_FMT;
    words[n++] = 0;
    words[n++] = x;
    words[n++] = AMU_CBUF_FORMAT(AMU_CBUF_FLD_FORMAT_FLOAT32_4, AMU_CBUF_FLD_TILING_LINEAR, SIDE);
    words[n++] = SIDE;
    words[n++] = AMU_CBUF_SET_OUT_FMT;
    words[n++] = 0;
    words[n++] = result;
    words[n++] = AMU_CBUF_FORMAT(AMU_CBUF_FLD_FORMAT_FLOAT32_4, AMU_CBUF_FLD_TILING_LINEAR, SIDE);
    words[n++] = SIDE;
    words[n++] = AMU_CBUF_SET_INST_FMT;
    words[n++] = program;
    words[n++] = 0;
    words[n++] = AMU_CBUF_SET_CONSTF_FMT;
    words[n++] = constants;
    words[n++] = 0;
    words[n++] = AMU_CBUF_SET_DOMAIN;
    words[n++] = 0;
    words[n++] = 0;
    words[n++] = SIDE - 1;
    words[n++] = SIDE - 1;
    words[n++] = AMU_CBUF_START_PROGRAM;
    words[n++] = 0;
    words[n++] = AMU_CBUF_FLUSH_OUT_CACHE;
    words[n++] = 0;
    memcpy(cpu, words, 4 * n);

    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    if (sigaction(SIGALRM, &action, NULL) || setitimer(ITIMER_REAL, &timer, NULL)) return 1;
    for (round = 0; round == 0 || signals < SIGNALS; round++) {
        memset(results, 0xff, BYTES);
        id = amSubmitCommandBuffer(device, sys, n);
        if (id == 0) return fail("cannot submit");
        while (!amCommandBufferConsumed(device, id)) {}
        if (ctm_status(device, id) != CTM_STATUS_CLEAN) return fail("the submission failed");
        if (round == 0) memcpy(first, results, BYTES);
        if (memcmp(first, results, BYTES) != 0) return fail("the results differ");
        if (!has_denormals() || wrong) return fail("denormals are gone");
    }
    memset(&timer, 0, sizeof timer);
    setitimer(ITIMER_REAL, &timer, NULL);
    amCloseManagedConnection(device);
    fwrite(first, 1, BYTES, stdout);
    return 0;
}
