/*
 * Shaders without branches: arithmetic, modifiers, definitions, fetches, outputs.
 */
#ifndef SHADERS_ARITHMETIC_HPP
#define SHADERS_ARITHMETIC_HPP

#include "shaders.hpp"

#define INPUTS "dcl_texcoord0 v0\ndcl_texcoord1 v1\ndcl_texcoord2 v2\n"
#define SAMPLER "dcl vPos.xy\ndcl_2d s0\n"

inline std::vector<Shader> arithmeticShaders() {
    static const Vec c0 = constant(0), c1 = constant(1), c2 = constant(2), c5 = constant(5);
    const float infinity = HUGE_VALF, nan = std::nanf("");
    std::vector<Shader> list;
    auto add = [&](const char *name, std::string source, std::function<void(Point &)> expect) {
        list.push_back(Shader{name, source, expect});
    };

    add("add, sub, mul, mad with signs and swizzles", R"(
        add oC0, -c0_abs, c2_abs
        mul oC1, -c2, -c2_abs
        mad oC2, c0.wzyx, -c2.yyyy, c1_abs.zw
        sub oC3, -c0, c2)",
        [](Point &p) {
            p.color[0] = -absolute(c0) + absolute(c2);
            p.color[1] = -c2 * -absolute(c2);
            p.color[2] = swizzle(c0, "wzyx") * all(-c2.y) + absolute(swizzle(c1, "zwww"));
            p.color[3] = -c0 - c2;
        });
    add("three different constants", R"(
        mad oC0, c0, c2, c5
        mad oC1, c0.wzyx, c8.yzwx, c9.zwxy
        cmp oC2, c10.yxwz, c11, c12)",
        [](Point &p) {
            p.color[0] = c0 * c2 + c5;
            p.color[1] =
                swizzle(c0, "wzyx") * swizzle(constant(8), "yzwx") + swizzle(constant(9), "zwxy");
            p.color[2] = choose(swizzle(constant(10), "yxwz"), constant(11), constant(12));
        });
    add("three different inputs", INPUTS R"(
        mad oC0, v0.yxwz, -v1, v2_abs.wzyx
        dp2add oC1, v0, v1, v2.z)",
        [](Point &p) {
            p.color[0] = swizzle(p.v(0), "yxwz") * -p.v(1) + absolute(swizzle(p.v(2), "wzyx"));
            p.color[1] = all(p.v(0).x * p.v(1).x + p.v(0).y * p.v(1).y + 2);
        });
    add("min and max", R"(
        min oC0, c0, c2
        max oC1, c0, -c2_abs
        min oC2, -c0, c2.wzyx)",
        [](Point &p) {
            p.color[0] = lowest(c0, c2);
            p.color[1] = highest(c0, -absolute(c2));
            p.color[2] = lowest(-c0, swizzle(c2, "wzyx"));
        });
    add("cmp takes b at 0 and -0, c at NaN", R"(
        cmp oC0, c1, c0, c2
        cmp oC1, c7, c0, c2
        cmp oC2, c4, c0, c2
        cmp oC3, -c7, c0, -c2)",
        [](Point &p) {
            p.color[0] = vec(1, 2.5f, 3, 0.75f);
            p.color[1] = vec(1, 2, -3.5f, 4);
            p.color[2] = vec(1, 2.5f, 3, 0.75f);
            p.color[3] = vec(1, 2, 3, -0.75f);
        });
    add("infinities and NaN", R"(
        mul oC0, c4, c3
        add oC1, c4, -c4
        max oC2, c4, c0
        min oC3, c4, c0)",
        [=](Point &p) {
            p.color[0] = p.color[1] = vec(0, 0, nan, nan);
            p.color[2] = vec(1e30f, 2, infinity, 4);
            p.color[3] = vec(1, -1e30f, 3, 4);
        });
    add("abs and nop", "nop  abs oC0, -c2", [](Point &p) { p.color[0] = absolute(c2); });
    add("frc of negative numbers", "frc oC0, c2  frc oC1, -c1_abs", [](Point &p) {
        p.color[0] = vec(0.5f, 0.5f, 0.5f, 0.75f);
        p.color[1] = vec(0.75f, 0.5f, 0, 0);
    });
    add("lrp", R"(
        lrp oC0, c5.x, c0, c2
        lrp oC1, c1, c0, c2.wzyx
        lrp oC2, -c1_abs, -c0, c2)",
        [](Point &p) {
            const Vec turned = swizzle(c2, "wzyx");
            p.color[0] = c5.x * (c0 - c2) + c2;
            p.color[1] = c1 * (c0 - turned) + turned;
            p.color[2] = -absolute(c1) * (-c0 - c2) + c2;
        });
    add("lrp to its own operands", INPUTS R"(
        mov r0, v0
        lrp r0, r0, c0, r0
        mov oC0, r0
        mov r1, v0
        lrp r1, c5.x, r1, c2
        mov oC1, r1)",
        [](Point &p) {
            p.color[0] = p.v(0) * (c0 - p.v(0)) + p.v(0);
            p.color[1] = 0.5f * (p.v(0) - c2) + c2;
        });
    add("dp3 and dp4", R"(
        dp3 oC0, c0, c2
        dp4 oC1, c0, c2
        dp3 oC2.x, c0_abs, -c2.wzyx
        dp4_sat oC3.w, c0, c5)",
        [](Point &p) {
            p.color[0] = all(-7);
            p.color[1] = all(-4);
            p.color[2].x = -dot3(c0, swizzle(c2, "wzyx"));
            p.color[3].w = 1;
        });
    add("dp2add", R"(
        dp2add oC0, c0, c2, c5.y
        dp2add_sat oC1.yw, c0.zwxy, -c2, c5.w)",
        [](Point &p) {
            p.color[0] = all(-1.5f + 5 + 0.1f);
            p.color[1].y = p.color[1].w = clamp(4.5f - 10 + 1.5f);
        });
    add("functions of one number", R"(
        rcp r0.x, c0.w
        rsq r0.y, -c0.w
        exp r0.z, c2.y
        log r0.w, -c0.w
        mov oC0, r0
        rcp oC1, c0.y)",
        [](Point &p) {
            p.color[0] = vec(0.25f, 0.5f, std::exp2(2.5f), 2);
            p.color[1] = all(0.5f);
        });
    add("pow of negative bases, of 0, to 0", R"(
        pow r0.x, c1.w, c0.y
        pow r0.y, c0.y, c2.x
        pow r0.z, c3.x, c0.x
        pow r0.w, c3.x, c3.x
        mov oC0, r0)",
        [](Point &p) { p.color[0] = vec(64, std::pow(2.0f, -1.5f), 0, 1); });
    add("nrm", R"(
        nrm oC0, c6
        nrm oC1, c3
        nrm oC2.xz, -c6.zyxw)",
        [](Point &p) {
            p.color[0] = vec(0.6f, 0.8f, 0, 2.4f);
            p.color[1] = all(0);
            p.color[2].x = 0;
            p.color[2].z = -0.6f;
        });
    add("nrm to its own operand", INPUTS "mov r0, v0  nrm r0, r0  mov oC0, r0",
        [](Point &p) { p.color[0] = 1 / std::sqrt(dot3(p.v(0), p.v(0))) * p.v(0); });
    add("crs", R"(
        crs oC0.xyz, c0, c2
        mov r1, c0
        crs r1.yz, r1, c2
        mov oC1, r1
        crs oC2.x, -c0, c2.zxyw)",
        [](Point &p) {
            p.color[0] = cross(c0, c2);
            p.color[1] = masked(c0, cross(c0, c2), "yz");
            p.color[2].x = cross(-c0, swizzle(c2, "zxyw")).x;
        });
    add("sincos writes the cosine to x, the sine to y", INPUTS R"(
        sincos oC0.xy, v1.x
        sincos oC1.x, c0.x
        sincos oC1.y, c0.x
        sincos oC2.y, -v1_abs.x
        mov r0, v0
        sincos r0.xy, r0.x
        mov oC3, r0)",
        [](Point &p) {
            p.color[0].x = std::cos(p.v(1).x);
            p.color[0].y = std::sin(p.v(1).x);
            p.color[1].x = std::cos(1.0f);
            p.color[1].y = std::sin(1.0f);
            p.color[2].y = std::sin(p.v(1).x);
            p.color[3] = vec(std::cos(p.v(0).x), std::sin(p.v(0).x), p.v(0).z, 1);
        });
    for (int rows = 2; rows <= 4; rows++)
        for (int width = 3; width <= 4; width++) {
            if (rows == 2 && width == 4) continue;
            const std::string mask = std::string("xyzw").substr(0, rows);
            const std::string op = "m" + std::to_string(width) + "x" + std::to_string(rows) + " ";
            const std::string source = INPUTS + op + "oC0." + mask + ", v0, c8  mov r1, v0  " + op +
                                       "r1." + mask + ", r1, c10  mov oC1, r1";
            add("matrices", source, [=](Point &p) {
                p.color[1] = p.v(0);
                for (int n = 0; n < rows; n++) {
                    const auto dot = width == 3 ? dot3 : dot4;
                    p.color[0][n] = dot(p.v(0), constant(8 + n));
                    p.color[1][n] = dot(p.v(0), constant(10 + n));
                }
            });
        }
    add("a matrix in temporaries, one of them written", R"(
        mov r1, c8
        mov r2, c9
        mov r3, c10
        m3x3_sat r2.xyz, c1, r1
        mov oC0, r2)",
        [](Point &p) {
            for (int n = 0; n < 3; n++) p.color[0][n] = clamp(dot3(c1, constant(8 + n)));
            p.color[0].w = constant(9).w;
        });
    add("a matrix of definitions", R"(
        def c40, 1, 0, 0, 0
        def c41, 0, 0.5, 0, 0
        def c42, 0, 0, -1, 2
        m3x3 oC0.xyz, c0, c40)",
        [](Point &p) { p.color[0] = vec(1, 1, -3, BEFORE); });
    add("_sat of what works lane by lane", R"(
        mov_sat oC0, c2
        add_sat oC1, c0, c2
        sub_sat oC2, c0, c2
        min_sat oC3.xy, c0, c2
        max_sat oC3.zw, c0, c2)",
        [](Point &p) {
            p.color[0] = clamp(c2);
            p.color[1] = clamp(c0 + c2);
            p.color[2] = clamp(c0 - c2);
            p.color[3] = masked(clamp(lowest(c0, c2)), clamp(highest(c0, c2)), "zw");
        });
    add("_sat of choices and fractions", R"(
        cmp_sat oC0, c1, c0, c2
        lrp_sat oC1, c5, c0, c2
        frc_sat oC2, c2
        abs_sat oC3, c2)",
        [](Point &p) {
            p.color[0] = clamp(choose(c1, c0, c2));
            p.color[1] = clamp(c5 * (c0 - c2) + c2);
            p.color[2] = fraction(c2);
            p.color[3] = clamp(absolute(c2));
        });
    add("_sat of functions and expansions", R"(
        rcp_sat r0.x, c5.x
        rsq_sat r0.y, c5.x
        exp_sat r0.z, c1.y
        log_sat r0.w, c0.y
        mov oC0, r0
        nrm_sat oC1, -c6
        crs_sat oC2.xyz, c0, c2
        sincos_sat oC3.xy, c0.z
        pow_sat oC3.z, c0.y, c0.y)",
        [](Point &p) {
            p.color[0] = vec(1, 1, std::exp2(-0.5f), 1);
            p.color[1] = all(0);
            p.color[2] = masked(p.color[2], clamp(cross(c0, c2)), "xyz");
            p.color[3] = vec(clamp(std::cos(3.0f)), clamp(std::sin(3.0f)), 1, BEFORE);
        });
    add("_pp has no effect", R"(
        add_pp oC0, c0, c1
        mul_sat_pp oC1, c0, c1
        mad_pp_sat oC2, c0, c1, c2)",
        [](Point &p) {
            p.color[0] = c0 + c1;
            p.color[1] = clamp(c0 * c1);
            p.color[2] = clamp(c0 * c1 + c2);
        });
    add("derivatives", INPUTS R"(
        mul r0, v0, c0
        dsx oC0, r0
        dsy oC1, r0
        dsx r3.x, -v0_abs.y
        dsy r3.y, -v0_abs.y
        mov oC2.xy, r3)",
        [](Point &p) {
            p.color[0] = vec(1, 0, 3, 0);
            p.color[1] = vec(0, 2, -3, 0);
            p.color[2].x = 0;
            p.color[2].y = -1;
        });

    add("def wins over the client's value", R"(
        def c0, 9, 8, 7, -6.5
        mov oC0, c0
        mov oC1, -c0.wzyx
        add oC2, c0, c0.x)",
        [](Point &p) {
            p.color[0] = vec(9, 8, 7, -6.5f);
            p.color[1] = vec(6.5f, -7, -8, -9);
            p.color[2] = vec(18, 17, 16, 2.5f);
        });
    add("def behind its use, numbers in all spellings",
        "mov oC0, c50\ndef c50, 1e-3, .5, 1.25e2f, -.5",
        [](Point &p) { p.color[0] = vec(1e-3f, 0.5f, 125, -0.5f); });
    add("definitions with and without a register", R"(
        def c60, 0, 0.5, 1, -1
        def c61, 0.3, 7, -2, 16
        add oC0, c60, c61
        mad oC1, c60.wwww, c61.xxyy, c61
        max oC2, -c60, c61.w
        mul oC3.xw, c61.z, c60.yyyy)",
        [](Point &p) {
            const Vec a = vec(0, 0.5f, 1, -1), b = vec(0.3f, 7, -2, 16);
            p.color[0] = a + b;
            p.color[1] = b - swizzle(b, "xxyy");
            p.color[2] = all(16);
            p.color[3].x = p.color[3].w = -1;
        });
    add("comments",
        "// one\n; two\n/* three\n and four */ mov r0, c0 // five\n"
        "mov oC0, r0 ; six\n#line 3 \"x\"\n",
        [](Point &p) { p.color[0] = c0; });
    add("several on one line", "mov r0, c0 add r0, r0, c0 mov oC0, r0",
        [](Point &p) { p.color[0] = c0 + c0; });
    add("line ends of two characters", "mov r0, c0\r\nmov oC0, r0\r\nend\r\n",
        [](Point &p) { p.color[0] = c0; });
    add("capitals", "MOV R0, C0\nADD R0.XYZ, R0, -C2_ABS.W\nMOV OC0, R0",
        [](Point &p) { p.color[0] = vec(0.25f, 1.25f, 2.25f, 4); });
    add("channels as colours", "mov r0, c0.abgr  add r0.rb, r0, c0.g  mov oC0, r0",
        [](Point &p) { p.color[0] = vec(6, 3, 4, 1); });
    add("the last temporary", "mov r31, c0  add oC0, r31, c2",
        [](Point &p) { p.color[0] = c0 + c2; });
    add("neighbours that depend on each other", R"(
        mov r0.xyz, c0
        mov r0.w, r0.x
        mov r0.x, r0.w
        add r0.xyz, r0, r0.w
        mov oC0, r0)",
        [](Point &p) { p.color[0] = vec(2, 3, 4, 1); });
    add("neighbours that exchange", R"(
        mov r0, c0
        mov r0.w, r0.x
        mov r0.xyz, r0.wzyx
        mov oC0, r0)",
        [](Point &p) { p.color[0] = vec(1, 3, 2, 1); });

    add("inputs by texcoord, the others by number", R"(
        dcl_color0 v0
        dcl_texcoord5_pp_centroid v1.xy
        dcl_fog v2.x
        mov oC0, v0
        mov oC1.xy, v1)",
        [](Point &p) {
            p.color[0] = p.v(0);
            p.color[1] = masked(p.color[1], p.v(5), "xy");
        });
    add("vPos", SAMPLER "add oC0.xy, vPos, c0  mul oC0.zw, vPos.xxxy, c0.y",
        [](Point &p) { p.color[0] = vec(p.x + 1.0f, p.y + 2.0f, p.x * 2.0f, p.y * 2.0f); });
    add("texld", SAMPLER R"(
        texld_pp r0, vPos, s0
        texld r1, vPos.yxzw, s0.wzyx
        texld r2.yw, vPos, s0
        mov oC0, r0
        mov oC1, r1
        mov oC2.yw, r2)",
        [](Point &p) {
            p.color[0] = element(p.x, p.y);
            p.color[1] = swizzle(element(p.y, p.x), "wzyx");
            p.color[2] = masked(p.color[2], element(p.x, p.y), "yw");
        });
    add("the other fetches", SAMPLER R"(
        def c40, 6, 4, 0, 2
        texldp r0, c40, s0
        texldb r1, c40, s0
        texldl r2, c40, s0
        texldd r3, c40, s0, c0, c1
        mov oC0, r0
        mov oC1, r1
        mov oC2, r2
        mov oC3, r3)",
        [](Point &p) {
            p.color[0] = element(3, 2);
            p.color[1] = p.color[2] = p.color[3] = element(6, 4);
        });
    add("coordinates that are computed, or overwritten", INPUTS SAMPLER R"(
        texld r0, -v1_abs.xxxx, s0
        add r1, -v1, c3
        texld r1, r1.xxxx, s0
        mov r2, v0
        texld r2.xy, r2, s0
        mov oC0, r0
        mov oC1, r1
        mov oC2, r2)",
        [](Point &p) {
            p.color[0] = element(0, 0);
            p.color[1] = element(p.x, p.x);
            p.color[2] = vec(float(p.x), float(p.y), p.v(0).z, 1);
        });
    add("texkill", INPUTS "add r0, v0, -c0.w  texkill r0.xy  mov oC0, c0", [](Point &p) {
        p.color[0] = c0;
        p.killed = p.x + 0.5f < 4 || p.y + 0.5f < 4;
    });
    add("texkill of an input", INPUTS "texkill v0  mov oC0, c0", [](Point &p) {
        p.color[0] = c0;
        p.killed = p.x < p.y;
    });
    add("texkill of a channel", INPUTS "texkill v0.y  mov oC0, c0",
        [](Point &p) { p.color[0] = c0; });

    add("all outputs", "mov oC3, c3  mov oC1, c1  mov oC2.y, c2  mov oC0, c0", [](Point &p) {
        p.color[0] = c0;
        p.color[1] = c1;
        p.color[2].y = c2.y;
        p.color[3] = all(0);
    });
    add("an output in parts", "mov oC0.xy, c0  mov oC0.z, c2.x",
        [](Point &p) { p.color[0] = vec(1, 2, -1.5f, BEFORE); });
    add("oDepth before a colour", "mov oDepth, c0.z  mov oC0.x, c0", [](Point &p) {
        p.color[0].x = 1;
        p.depth = 3;
    });
    add("oDepth alone", "mov oDepth, c0.z", [](Point &p) { p.depth = 3; });
    add("oDepth of a product", INPUTS "mul oDepth, v0.y, c0.z",
        [](Point &p) { p.depth = 3 * p.v(0).y; });
    add("oDepth of a dot product", "dp3 oDepth, c0, c2", [](Point &p) { p.depth = -7; });
    add("oDepth of a function", "rcp oDepth, c0.w", [](Point &p) { p.depth = 0.25f; });
    return list;
}

#endif
