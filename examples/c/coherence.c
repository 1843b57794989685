/*
 * A client that gives every command for caches, and what happens where one is missing: between two
 * submissions it changes the program, all constants, the input and the conditional buffer.
 *
 *     cc -I include examples/c/coherence.c -L target/release -lctm -o coherence
 *     ./coherence
 *     ./coherence inv_inp_cache       leaves out this command, and prints the hazard
 */
#include <stdio.h>
#include <string.h>

#include "amDeviceManaged.h"
#include "amuAsm.h"
#include "amuCbufTypes.h"
#include "ctm.h"

/* The input, with c0 added if b0, and the step added n0 times. */
#define PROGRAM(STEP)                                                                              \
    "    ld r1, i0[r0.rg]\n"                                                                       \
    "    if b0\n"                                                                                  \
    "        add r1.r, r1, c0\n"                                                                   \
    "    endif\n"                                                                                  \
    "    rep n0\n"                                                                                 \
    "        add r1.r, r1, " STEP "\n"                                                             \
    "    endrep\n"                                                                                 \
    "    mov w, r1.r\n"                                                                            \
    "    mov o0.r, r1\n"

static const char *const sources[2] = {PROGRAM("1"), PROGRAM("0.5")};

enum { WIDTH = 16, HEIGHT = 16, POINTS = WIDTH * HEIGHT };

static const struct {
    const char *name;
    AMuint32 word;
} caches[] = {
    {"inv_inst_cache", AMU_CBUF_INV_INST_CACHE},
    {"inv_constf_cache", AMU_CBUF_INV_CONSTF_CACHE},
    {"inv_consti_cache", AMU_CBUF_INV_CONSTI_CACHE},
    {"inv_constb_cache", AMU_CBUF_INV_CONSTB_CACHE},
    {"inv_cond_out_cache", AMU_CBUF_INV_COND_OUT_CACHE},
    {"inv_inp_cache", AMU_CBUF_INV_INP_CACHE},
    {"flush_out_cache", AMU_CBUF_FLUSH_OUT_CACHE},
    {"flush_cond_out_cache", AMU_CBUF_FLUSH_COND_OUT_CACHE},
};

enum { INVALIDATES = 6, CACHES = 8 };

static AMmanagedDeviceInfo info;
static AMuint32 words[64], count;

static void print(const char *message) { fputs(message, stderr); }

static AMuint32 place(AMuint32 offset) { return info.baseAddressSYSc + offset; }

static void *host(AMuint32 address) {
    return (unsigned char *)info.baseAddressCPUc + (address - info.baseAddressSYSc);
}

static void word(AMuint32 value) { words[count++] = value; }

/* The commands from `first` to `last`, but for the one that is to be missing. */
static void cache(int first, int last, const char *missing) {
    for (; first < last; first++)
        if (strcmp(caches[first].name, missing) != 0) {
            word(caches[first].word);
            word(0);
        }
}

static void surface(AMuint32 command, AMuint32 address) {
    word(command);
    if (command != AMU_CBUF_SET_COND_OUT_FMT) word(0);
    word(address);
    word(AMU_CBUF_FORMAT(AMU_CBUF_FLD_FORMAT_FLOAT32_1, AMU_CBUF_FLD_TILING_LINEAR, WIDTH));
    word(HEIGHT);
}

int main(int argc, char **argv) {
    const char *missing = argc > 1 ? argv[1] : "";
    AMuint32 program, input, output, condition, floats, ints, bools, id, size;
    AMmanagedDevice device;
    char message[4096];
    ctm_config config;
    void *binary;
    int run, i;

    if (!ctm_config_init(&config)) return 1;
    config.coherence = 1;
    device = ctm_open(&config, &info);
    if (device == NULL) {
        fprintf(stderr, "coherence: cannot open the device: %s\n", ctm_last_error());
        return 1;
    }
    program = place(0x10000);
    floats = place(0x20000);
    ints = place(0x21000);
    bools = place(0x22000);
    input = place(0x30000);
    output = place(0x31000);
    condition = place(0x32000);

    for (run = 0; run < 2; run++) {
        if (!amuAsmAssemble(sources[run], (AMuint32)strlen(sources[run]), &size, &binary, print))
            return 1;
        memcpy(host(program), binary, size);
        ctm_free(binary);
        ((float *)host(floats))[0] = run == 0 ? 8.0f : 16.0f;
        ((AMuint32 *)host(ints))[0] = run == 0 ? 2 : 4; /* how often the loop runs */
        ((AMuint32 *)host(bools))[0] = run == 0;
        for (i = 0; i < POINTS; i++) {
            ((float *)host(input))[i] = (float)(i + 100 * run);
            ((float *)host(condition))[i] = 1e6f;
        }

        count = 0;
        surface(AMU_CBUF_SET_INP_FMT, input);
        surface(AMU_CBUF_SET_OUT_FMT, output);
        surface(AMU_CBUF_SET_COND_OUT_FMT, condition);
        word(AMU_CBUF_SET_COND_TEST);
        word(AMU_CBUF_FLD_COND_TEST_LESS);
        word(AMU_CBUF_SET_INST_FMT);
        word(program);
        word(0);
        word(AMU_CBUF_SET_CONSTF_FMT);
        word(floats);
        word(0);
        word(AMU_CBUF_SET_CONSTI_FMT);
        word(ints);
        word(0);
        word(AMU_CBUF_SET_CONSTB_FMT);
        word(bools);
        word(0);
        word(AMU_CBUF_SET_DOMAIN);
        word(0);
        word(0);
        word(WIDTH - 1);
        word(HEIGHT - 1);
        cache(0, INVALIDATES, missing);
        word(AMU_CBUF_START_PROGRAM);
        word(0);
        cache(INVALIDATES, CACHES, missing);
        id = ctm_submit_words(device, words, count);
        if (ctm_wait(device, id) != CTM_STATUS_CLEAN) {
            fprintf(stderr, "coherence: a submission failed: %s\n", ctm_last_error());
            return 1;
        }
        ctm_message(device, id, message, sizeof message);
        fputs(message, stdout);

        /* The emulator's memory is coherent: the results are right in any case. */
        for (i = 0; i < POINTS; i++) {
            const float expected = (float)(i + 100 * run) + (run == 0 ? 10.0f : 2.0f);
            const float found = ((float *)host(output))[i];
            if (found != expected) {
                fprintf(stderr, "coherence: point %d is %g, expected %g\n", i, found, expected);
                return 1;
            }
        }
    }
    amCloseManagedConnection(device);
    printf("coherence: 2 submissions are right\n");
    return 0;
}
