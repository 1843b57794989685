/*
 * A client that uses only the original interface: no name from ctm.h, and the calls and the order
 * of the commands of CTM's SDK.
 *
 * A program copies the data from a linear surface in system memory to a tiled one in GPU memory,
 * and later back. In between, a kernel computes a weighted sum of each element and its
 * right neighbour.
 *
 *     c++ -I include examples/c/upload.cpp -L target/release -lctm -o upload
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "amDeviceManaged.h"
#include "amuABI.h"
#include "amuAsm.h"
#include "amuCbufPack.h"
#include "amuCbufTypes.h"
#include "amuComp.h"

#ifndef UPLOAD_IN_ASSEMBLY
/* Direct3D pixel shaders: vPos is the point, s0 the input, oC0 the output. */
static const char language[] = "AMU_LANG_PS3";
static const char copySource[] =
    "ps_3_0\n"
    "dcl vPos.xy\n"
    "dcl_2d s0\n"
    "texld r0, vPos, s0\n"
    "mov oC0, r0\n";

static const char kernelSource[] =
    "ps_3_0\n"
    "def c1, 1, 0, 0, 0\n"
    "dcl vPos.xy\n"
    "dcl_2d s0\n"
    "texld r0, vPos, s0\n"
    "add r1.xy, vPos, c1\n"
    "texld r1, r1, s0\n"
    "mul r1, r1, c0.y\n"
    "mad oC0, r0, c0.x, r1\n";
#else
/* The same in the assembly language of this project. */
static const char language[] = "CTM_LANG_ASM";

static const char copySource[] =
    "ld r1, i0[r0.rg]\n"
    "mov o0, r1\n";

static const char kernelSource[] =
    ".literal c1 1 0 0 0\n"
    "ld r2, i0[r0.rg]\n"
    "add r1.rg, r0, c1\n"
    "ld r1, i0[r1.rg]\n"
    "mul r1, r1, c0.g\n"
    "mad o0, r2, c0.r, r1\n";
#endif

static void log(const char *message) { std::fputs(message, stderr); }

static void fail(const char *what) {
    std::fprintf(stderr, "upload: %s\n", what);
    std::exit(1);
}

struct Program {
    AMuint32 size;
    void *binary;
    AMUabiConstsInfo constants;
};

class Client {
public:
    enum { WIDTH = 48, HEIGHT = 40, CHANNELS = 4, COUNT = WIDTH * HEIGHT * CHANNELS };

    Client() {
        char name[32];
        std::sprintf(name, "/dev/pcie%d", 0);
        AMmanagedDeviceInfo empty = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
        info = empty;
        device = amOpenManagedConnection(name, &info);
        if (device == NULL) fail("cannot open the device");
        const bool cached = info.arenaSizeSYSc > info.arenaSizeSYS;
        sys = cached ? info.baseAddressSYSc : info.baseAddressSYS;
        cpu = static_cast<unsigned char *>(cached ? info.baseAddressCPUc : info.baseAddressCPU);
        compiler = amuCompOpenCompiler();
        copy = compile(copySource);
        kernel = compile(kernelSource);
    }

    ~Client() {
        release(copy);
        release(kernel);
        amCloseManagedConnection(device);
    }

    /* Addresses, all multiples of 2 KiB. */
    AMuint32 commands() const { return sys; }
    AMuint32 program() const { return sys + 0x100000; }
    AMuint32 floats() const { return sys + 0x200000; }
    AMuint32 ints() const { return sys + 0x210000; }
    AMuint32 params() const { return sys + 0x220000; }
    AMuint32 linear() const { return sys + 0x300000; }
    AMuint32 tiled(int n) const { return info.baseAddressGPU + 0x100000 * n; }

    template <class T> T *host(AMuint32 address) const {
        return reinterpret_cast<T *>(cpu + (address - sys));
    }

    /* Runs a program from one surface to another, over the whole of both. */
    void run(const Program &what, AMuint32 from, AMUcbufFldTiling fromTiling, AMuint32 to,
             AMUcbufFldTiling toTiling) {
        AMUcbufPack *pack =
            new AMUcbufPack(reinterpret_cast<unsigned int *>(host<void>(commands())), 1024 * 256);
        bool *unused = NULL;
        amuABISetLiteralConstants(what.constants, host<float>(floats()), host<float>(ints()),
                                  unused);

        pack->appendFlushOutCache();
        pack->appendFlushCondOutCache();
        pack->appendSetInpFmt(0, from, AMU_CBUF_FLD_FORMAT_FLOAT32_4, fromTiling, WIDTH, HEIGHT);
        pack->appendSetOutFmt(0, to, AMU_CBUF_FLD_FORMAT_FLOAT32_4, toTiling, WIDTH, HEIGHT);
        pack->appendInvInpCache();
        pack->appendInvCondOutCache();
        /* There is only one place for programs; it is overwritten each time. */
        std::memcpy(host<void>(program()), what.binary, what.size);
        pack->appendSetInstFmt(program(), 0, 0, 0);
        pack->appendInvInstCache();
        pack->appendSetConstfFmt(floats(), 0, 0, 0);
        pack->appendInvConstfCache();
        pack->appendSetConstiFmt(ints(), 0, 0, 0);
        pack->appendInvConstiCache();
        pack->appendSetDomain(0, 0, WIDTH - 1, HEIGHT - 1);

        /* One triangle that covers the domain, without interpolants. */
        float *vertices = host<float>(params());
        std::memset(vertices, 0, 3 * 32 * sizeof(float));
        vertices[3] = vertices[32 + 3] = vertices[64 + 3] = 1;
        vertices[32] = 3.0f * WIDTH;
        vertices[64 + 1] = 3.0f * HEIGHT;
        pack->appendSetParams(params());

        pack->appendStartProgram();
        pack->appendFlushOutCache();
        pack->appendFlushCondOutCache();
        const AMuint32 size = pack->getCommandBufferSize();
        delete pack;

        const unsigned int id = amSubmitCommandBuffer(device, commands(), size);
        if (!id) fail("cannot submit");
        while (amCommandBufferConsumed(device, id) == 0) {}
    }

    Program copy, kernel;

private:
    Client(const Client &);

    Program compile(const char *source) {
        AMUcompMacro macros[] = {{language, "1"}, {0, 0}};
        Program result;
        if (amuCompCompile(compiler, source, (unsigned int)std::strlen(source), macros, NULL,
                           "main", &result.size, &result.binary, log) == 0)
            fail("cannot compile");
        result.constants = amuABIExtractConstants(result.binary);
        for (unsigned int n = 0; n < result.constants.litConstsCount; n++)
            if (result.constants.litConsts[n].type == AMU_ABI_FLOAT32 &&
                result.constants.litConsts[n].addr == 1 &&
                result.constants.litConsts[n].value.float32[0] != 1)
                fail("a literal has the wrong value");
        return result;
    }

    static void release(Program &what) {
        std::free(what.constants.userConsts);
        std::free(what.binary);
    }

    AMmanagedDeviceInfo info;
    AMmanagedDevice device;
    AMUcompCompiler compiler;
    AMuint32 sys;
    unsigned char *cpu;
};

int main() {
    Client client;
    float *surface = client.host<float>(client.linear());
    float *source = new float[Client::COUNT];
    for (int n = 0; n < Client::COUNT; n++) surface[n] = source[n] = (float)((n * 37) % 1009);

    float *constants = client.host<float>(client.floats());
    constants[0] = 3;
    constants[1] = 0.5f;

    client.run(client.copy, client.linear(), AMU_CBUF_FLD_TILING_LINEAR, client.tiled(0),
               AMU_CBUF_FLD_TILING_TILED0);
    client.run(client.kernel, client.tiled(0), AMU_CBUF_FLD_TILING_TILED0, client.tiled(1),
               AMU_CBUF_FLD_TILING_TILED0);
    std::memset(surface, 0xff, Client::COUNT * sizeof(float));
    client.run(client.copy, client.tiled(1), AMU_CBUF_FLD_TILING_TILED0, client.linear(),
               AMU_CBUF_FLD_TILING_LINEAR);

    for (int y = 0; y < Client::HEIGHT; y++)
        for (int x = 0; x < Client::WIDTH; x++)
            for (int c = 0; c < Client::CHANNELS; c++) {
                /* A fetch outside a surface reads the element at its edge. */
                const int right = x + 1 < Client::WIDTH ? x + 1 : x;
                const int row = y * Client::WIDTH;
                const float expected = 3 * source[(row + x) * Client::CHANNELS + c] +
                                       0.5f * source[(row + right) * Client::CHANNELS + c];
                const float found = surface[(row + x) * Client::CHANNELS + c];
                if (found != expected) {
                    std::fprintf(stderr, "upload: (%d, %d) channel %d is %g, expected %g\n", x, y,
                                 c, found, expected);
                    return 1;
                }
            }
    std::printf("upload: %d results are right\n", (int)Client::COUNT);
    delete[] source;
    return 0;
}
