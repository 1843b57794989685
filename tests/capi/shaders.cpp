/*
 * A client that knows no more of the library than names, argument lists and the order of commands.
 * It runs small shaders over all points of a square and compares what they leave behind with
 * what a person says that ps_3_0's instructions mean: no code of the compiler's tests is behind it.
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

#include "shaders_arithmetic.hpp"
#include "shaders_flow.hpp"

static std::string told;
static void tell(const char *message) { told += message; }

/* Places in system memory. */
enum {
    COMMANDS = 0,
    PROGRAM = 0x100000,
    FLOATS = 0x200000,
    INTS = 0x210000,
    BOOLS = 0x220000,
    PARAMS = 0x230000,
    INPUT = 0x240000,
    DEPTH = 0x250000,
    OUTPUT = 0x260000, /* four of them */
    NEXT = 0x10000
};

/* Words of the command buffer that there is room for. */
enum { ROOM = 1024 };

class Client {
public:
    Client() : device(NULL), base(0), cpu(NULL), compiler(amuCompOpenCompiler()) {
        char name[] = "/dev/pcie0";
        AMmanagedDeviceInfo info = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
        device = amOpenManagedConnection(name, &info);
        if (device == NULL) return;
        const bool cached = info.arenaSizeSYSc > info.arenaSizeSYS;
        base = cached ? info.baseAddressSYSc : info.baseAddressSYS;
        cpu = static_cast<unsigned char *>(cached ? info.baseAddressCPUc : info.baseAddressCPU);
    }
    ~Client() {
        if (device != NULL) amCloseManagedConnection(device);
    }
    bool isOpen() const { return device != NULL; }

    /* Whether a shader does what it should; says it if not. */
    bool check(const Shader &shader) {
        AMUcompMacro macros[] = {{"AMU_LANG_PS3", "1"}, {NULL, NULL}};
        const std::string source = "ps_3_0\n" + shader.source;
        AMuint32 size = 0;
        void *binary = NULL;
        told.clear();
        if (amuCompCompile(compiler, source.c_str(), static_cast<unsigned int>(source.size()),
                           macros, NULL, "main", &size, &binary, tell) == 0) {
            std::printf("%s: not compiled\n%s\n", shader.name, told.c_str());
            return false;
        }
        prepare(binary, size);
        std::free(binary);
        if (!run()) {
            std::printf("%s: not submitted\n", shader.name);
            return false;
        }
        return compare(shader);
    }

private:
    template <class T>
    T *host(AMuint32 offset) {
        return reinterpret_cast<T *>(cpu + offset);
    }

    void prepare(const void *binary, AMuint32 size) {
        std::memcpy(host<void>(PROGRAM), binary, size);
        for (int n = 0; n < 32; n++) put(host<float>(FLOATS) + 4 * n, constant(n));
        std::memset(host<void>(INTS), 0, 32 * 4);
        std::memcpy(host<void>(INTS), INTEGERS, sizeof INTEGERS);
        std::memset(host<void>(BOOLS), 0, 32 * 4);
        std::memcpy(host<void>(BOOLS), BOOLEANS, sizeof BOOLEANS);
        AMUabiConstsInfo constants = amuABIExtractConstants(binary);
        amuABISetLiteralConstants(constants, host<void>(FLOATS), host<void>(INTS),
                                  host<void>(BOOLS));
        amuAsmDisassemble(binary, tell);
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++)
                put(host<float>(INPUT) + 4 * (SIDE * y + x), element(x, y));
        for (int n = 0; n < SIDE * SIDE; n++) {
            host<float>(DEPTH)[n] = BEFORE;
            for (int k = 0; k < 4; k++) put(host<float>(OUTPUT + NEXT * k) + 4 * n, all(BEFORE));
        }
        /* A triangle around the domain. */
        const float corners[3][2] = {{0, 0}, {3 * SIDE, 0}, {0, 3 * SIDE}};
        for (int n = 0; n < 3; n++) {
            float *vertex = host<float>(PARAMS) + 32 * n;
            put(vertex, vec(corners[n][0], corners[n][1], 0, 1));
            for (int k = 0; k < 7; k++)
                put(vertex + 4 + 4 * k, interpolant(k, corners[n][0], corners[n][1]));
        }
    }

    static void put(float *to, const Vec &value) {
        for (int n = 0; n < 4; n++) to[n] = value[n];
    }

    bool run() {
        const AMUcbufFldFormat four = AMU_CBUF_FLD_FORMAT_FLOAT32_4;
        const AMUcbufFldTiling linear = AMU_CBUF_FLD_TILING_LINEAR;
        AMUcbufPack pack(host<unsigned int>(COMMANDS), ROOM);
        pack.appendFlushOutCache();
        pack.appendFlushCondOutCache();
        pack.appendSetInpFmt(0, base + INPUT, four, linear, SIDE, SIDE);
        for (int n = 0; n < 4; n++)
            pack.appendSetOutFmt(n, base + OUTPUT + NEXT * n, four, linear, SIDE, SIDE);
        pack.appendSetCondOutFmt(base + DEPTH, AMU_CBUF_FLD_FORMAT_FLOAT32_1, linear, SIDE, SIDE);
        pack.appendInvInpCache();
        pack.appendInvCondOutCache();
        pack.appendSetInstFmt(base + PROGRAM, 0, 0, 0);
        pack.appendInvInstCache();
        pack.appendSetConstfFmt(base + FLOATS, 0, 0, 0);
        pack.appendInvConstfCache();
        pack.appendSetConstiFmt(base + INTS, 0, 0, 0);
        pack.appendInvConstiCache();
        pack.appendSetConstbFmt(base + BOOLS, 0, 0, 0);
        pack.appendInvConstbCache();
        pack.appendSetDomain(0, 0, SIDE - 1, SIDE - 1);
        pack.appendSetParams(base + PARAMS);
        pack.appendStartProgram();
        pack.appendFlushOutCache();
        pack.appendFlushCondOutCache();
        const AMuint32 words = pack.getCommandBufferSize();
        const AMuint32 id = amSubmitCommandBuffer(device, base + COMMANDS, words);
        if (words > ROOM || id == 0) return false;
        while (amCommandBufferConsumed(device, id) == 0) {
        }
        return true;
    }

    bool compare(const Shader &shader) {
        bool right = true;
        for (int n = 0; n < SIDE * SIDE && right; n++) {
            Point point(n % SIDE, n / SIDE);
            shader.expect(point);
            /* A killed point leaves nothing. */
            if (point.killed) {
                point = Point(point.x, point.y);
                point.depth = BEFORE;
            }
            for (int k = 0; k < 16 && right; k++)
                right = same(shader, point, "oC", k, point.color[k / 4][k % 4],
                             host<float>(OUTPUT + NEXT * (k / 4))[4 * n + k % 4]);
            right = right && same(shader, point, "oDepth", 0, point.depth, host<float>(DEPTH)[n]);
        }
        return right;
    }

    /* As numbers: expansions may round in another place than the text above does. */
    static bool same(const Shader &shader, const Point &point, const char *what, int k,
                     float expected, float found) {
        const bool nan = expected != expected && found != found;
        const float near = 2e-6f * std::fmax(1.0f, std::fabs(expected));
        if (nan || expected == found || std::fabs(expected - found) <= near) return true;
        std::printf("%s: (%d, %d) %s%d.%c is %.9g, expected %.9g\n", shader.name, point.x, point.y,
                    what, k / 4, "xyzw"[k % 4], found, expected);
        return false;
    }

    AMmanagedDevice device;
    AMuint32 base;
    unsigned char *cpu;
    AMUcompCompiler compiler;
};

int main() {
    Client client;
    if (!client.isOpen()) {
        std::printf("shaders: cannot open the device\n");
        return 1;
    }
    int right = 0, wrong = 0;
    for (const std::vector<Shader> &shaders : {arithmeticShaders(), flowShaders()})
        for (const Shader &shader : shaders) ++(client.check(shader) ? right : wrong);
    std::printf("shaders: %d are right, %d wrong\n", right, wrong);
    return wrong != 0;
}
