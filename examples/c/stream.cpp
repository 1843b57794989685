/*
 * A small stream library, like the original clients of CTM. Streams are in GPU memory. Each call
 * writes its kernel into the only program slot, rewrites the constants, submits, and spins until
 * the submission is done. A few hundred calls of random kernels are compared with the same
 * operations on the host.
 *
 *     c++ -I include examples/c/stream.cpp -L target/release -lctm -o stream
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "amDeviceManaged.h"
#include "amuAsm.h"
#include "amuCbufPack.h"
#include "ctm.h"

static void log(const char *message) { std::fputs(message, stderr); }

static void fail(const char *what) {
    std::fprintf(stderr, "stream: %s: %s\n", what, ctm_last_error());
    std::exit(1);
}

/* Numbers are small integers, so that every engine and the host agree bit for bit. */
static float wrap(float x) { return x > 4096 ? x - 8192 : x < -4096 ? x + 8192 : x; }

class Stream;

class Runtime {
public:
    enum { WIDTH = 40, HEIGHT = 12, COUNT = WIDTH * HEIGHT };

    Runtime() : next_(0) {
        device = amOpenManagedConnection("/dev/pcie0", &info);
        if (device == NULL) fail("cannot open the device");
        sys = info.baseAddressSYSc;
        cpu = static_cast<unsigned char *>(info.baseAddressCPUc);
        next_ = info.baseAddressGPU;
    }
    ~Runtime() { amCloseManagedConnection(device); }

    AMuint32 allocate(AMuint32 bytes) {
        const AMuint32 address = next_;
        next_ = (next_ + bytes + 2047) & ~2047u;
        return address;
    }

    template <class T> T *host(AMuint32 address) {
        return reinterpret_cast<T *>(cpu + (address - sys));
    }

    AMmanagedDevice device;
    AMmanagedDeviceInfo info;
    AMuint32 sys;
    unsigned char *cpu;

private:
    AMuint32 next_;
};

/* One float per element. */
class Stream {
public:
    Stream(Runtime &runtime) : expected(Runtime::COUNT) {
        /* Rows of tiled surfaces are whole tiles of 32 x 16 elements. */
        address = runtime.allocate(64 * 16 * 4);
    }
    AMuint32 address;
    std::vector<float> expected;
};

class Kernel {
public:
    Kernel(const char *source) {
        if (!amuAsmAssemble(source, (AMuint32)std::strlen(source), &size, &binary, log))
            fail("cannot assemble a kernel");
    }
    ~Kernel() { ctm_free(binary); }

    AMuint32 size;
    void *binary;

private:
    Kernel(const Kernel &);
};

/* Runs a kernel over whole streams; surfaces with tiling LINEAR are in system memory. */
static void call(Runtime &r, const Kernel &kernel, AMuint32 a, AMUcbufFldTiling aTiling, AMuint32 b,
                 AMuint32 out, AMUcbufFldTiling outTiling, float constant) {
    const AMuint32 program = r.sys + 0x10000, constants = r.sys + 0x20000;
    const unsigned int pitch = 64, height = Runtime::HEIGHT;
    /* The slot still holds the kernel of the previous call. */
    std::memcpy(r.host<void>(program), kernel.binary, kernel.size);
    r.host<float>(constants)[0] = constant;

    AMUcbufPack pack(r.host<unsigned int>(r.sys), 1024);
    pack.appendSetInpFmt(0, a, AMU_CBUF_FLD_FORMAT_FLOAT32_1, aTiling, pitch, height);
    pack.appendSetInpFmt(1, b, AMU_CBUF_FLD_FORMAT_FLOAT32_1, AMU_CBUF_FLD_TILING_TILED0, pitch,
                         height);
    pack.appendSetOutFmt(0, out, AMU_CBUF_FLD_FORMAT_FLOAT32_1, outTiling, pitch, height);
    pack.appendInvInpCache();
    pack.appendSetInstFmt(program, 0, 0, 0);
    pack.appendInvInstCache();
    pack.appendSetConstfFmt(constants, 0, 0, 0);
    pack.appendInvConstfCache();
    pack.appendSetDomain(0, 0, Runtime::WIDTH - 1, Runtime::HEIGHT - 1);
    pack.appendStartProgram();
    pack.appendFlushOutCache();
    const AMuint32 id = amSubmitCommandBuffer(r.device, r.sys, pack.getCommandBufferSize());
    if (!id) fail("cannot submit");
    while (amCommandBufferConsumed(r.device, id) == 0) {}
    if (ctm_status(r.device, id) != CTM_STATUS_CLEAN) fail("a call failed");
}

int main(int argc, char **argv) {
    Runtime r;
    const AMUcbufFldTiling tiled = AMU_CBUF_FLD_TILING_TILED0, linear = AMU_CBUF_FLD_TILING_LINEAR;
    const AMuint32 buffer = r.sys + 0x40000;

    Kernel copy("ld r1, i0[r0.rg]\n mov o0.r, r1.r\n");
    /* The two selections at the end of each kernel keep its results in -4096 to 4096. */
#define KERNEL(compute)                                                                            \
    ".literal range c1 4096 8192 0 0\n"                                                            \
    " ld r1.r, i0[r0.rg]\n ld r2.r, i1[r0.rg]\n" compute                                           \
    " sub r3.r, c1.r, r4.r\n add r5.r, r4.r, -c1.g\n cmp r4.r, r4.r, r5.r, r3.r\n"                 \
    " add r3.r, c1.r, r4.r\n add r5.r, r4.r, c1.g\n cmp o0.r, r4.r, r5.r, r3.r\n"
    Kernel add(KERNEL(" add r4.r, r1.r, r2.r\n"));
    Kernel subtract(KERNEL(" sub r4.r, r1.r, r2.r\n"));
    Kernel smaller(KERNEL(" min r4.r, r1.r, r2.r\n"));
    Kernel larger(KERNEL(" max r4.r, r1.r, r2.r\n"));
    Kernel offset(KERNEL(" add r4.r, r1.r, c0.r\n"));
    Kernel scale(KERNEL(" mad r4.r, r1.r, c0.r, r2.r\n"));
    const Kernel *kernels[6] = {&add, &subtract, &smaller, &larger, &offset, &scale};

    std::vector<Stream> streams;
    for (int n = 0; n < 5; n++) {
        streams.push_back(Stream(r));
        Stream &s = streams.back();
        float *data = r.host<float>(buffer);
        for (int y = 0; y < Runtime::HEIGHT; y++)
            for (int x = 0; x < Runtime::WIDTH; x++) {
                const float value = (float)((x * 7 + y * 13 + n * 101) % 512 - 256);
                data[y * 64 + x] = s.expected[y * Runtime::WIDTH + x] = value;
            }
        call(r, copy, buffer, linear, s.address, s.address, tiled, 0);
    }

    unsigned int seed = 12345;
    const int calls = argc > 1 ? std::atoi(argv[1]) : 600;
    for (int n = 0; n < calls; n++) {
        seed = seed * 1664525u + 1013904223u;
        const int k = (int)(seed >> 8) % 6;
        const Stream &a = streams[(seed >> 12) % 5], &b = streams[(seed >> 16) % 5];
        Stream &out = streams[(seed >> 20) % 5];
        const float constant = k == 5 ? (seed & 0x1000000 ? 1.0f : -1.0f) : (float)(n % 100 - 50);
        /* The kernels need literals and the client's constant together. */
        float *literals = r.host<float>(r.sys + 0x20000) + 4;
        literals[0] = 4096;
        literals[1] = 8192;
        call(r, *kernels[k], a.address, tiled, b.address, out.address, tiled, constant);
        std::vector<float> results(Runtime::COUNT);
        for (int e = 0; e < Runtime::COUNT; e++) {
            const float x = a.expected[e], y = b.expected[e];
            const float value = k == 0   ? x + y
                                : k == 1 ? x - y
                                : k == 2 ? (x < y ? x : y)
                                : k == 3 ? (x > y ? x : y)
                                : k == 4 ? x + constant
                                         : x * constant + y;
            results[e] = wrap(value);
        }
        out.expected = results;
    }

    for (int n = 0; n < 5; n++) {
        call(r, copy, streams[n].address, tiled, streams[n].address, buffer, linear, 0);
        const float *data = r.host<float>(buffer);
        for (int y = 0; y < Runtime::HEIGHT; y++)
            for (int x = 0; x < Runtime::WIDTH; x++) {
                const float expected = streams[n].expected[y * Runtime::WIDTH + x];
                if (data[y * 64 + x] != expected) {
                    std::fprintf(stderr, "stream: stream %d (%d, %d) is %g, expected %g\n", n, x, y,
                                 data[y * 64 + x], expected);
                    return 1;
                }
            }
    }
    std::printf("stream: %d calls are right\n", calls);
    return 0;
}
