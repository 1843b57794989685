/*
 * Shaders with predicates, branches, loops and subroutines.
 */
#ifndef SHADERS_FLOW_HPP
#define SHADERS_FLOW_HPP

#include "shaders_arithmetic.hpp"

inline std::vector<Shader> flowShaders() {
    static const Vec c0 = constant(0), c2 = constant(2), c8 = constant(8), c9 = constant(9),
                     c10 = constant(10);
    std::vector<Shader> list;
    auto add = [&](const char *name, std::string source, std::function<void(Point &)> expect) {
        list.push_back(Shader{name, source, expect});
    };

    add("predicates by channel and for all", INPUTS R"(
        setp_lt p0, v0, c0.w
        mov r0, c0
        (p0) mov r0, c2
        (!p0.y) add r0.xz, r0, c0
        mov oC0, r0)",
        [](Point &p) {
            for (int n = 0; n < 4; n++) p.color[0][n] = p.v(0)[n] < 4 ? c2[n] : c0[n];
            if (!(p.v(0).y < 4)) p.color[0] = masked(p.color[0], p.color[0] + c0, "xz");
        });
    add("setp with swizzles writes its mask only", INPUTS R"(
        setp_ge p0, v0, v0
        setp_lt p0.xw, v0.yxwz, v0.xywz
        mov oC0, c3
        (p0) mov oC0, c0)",
        [](Point &p) { p.color[0] = vec(p.y < p.x ? 1 : 0, 2, 3, 0); });
    add("setp behind a predicate", INPUTS R"(
        setp_lt p0, v0, c0.w
        (p0.x) setp_gt p0.y, v0.x, c0.y
        mov oC0, c3
        (p0) mov oC0, c0)",
        [](Point &p) {
            const Vec v = p.v(0);
            const bool y = v.x < 4 ? v.x > 2 : v.y < 4;
            p.color[0] = vec(v.x < 4 ? 1 : 0, y ? 2 : 0, v.z < 4 ? 3 : 0, 4);
        });
    add("setp behind the predicate that it writes", INPUTS R"(
        setp_lt p0, v0, c0.w
        (!p0) setp_gt p0, v0, c6.y
        mov oC0, c3
        (p0) mov oC0, c0)",
        [](Point &p) {
            for (int n = 0; n < 4; n++) {
                const float v = p.v(0)[n];
                p.color[0][n] = v < 4 || v > 4 ? c0[n] : 0;
            }
        });
    add("predicates of w and of xyz in neighbouring lines", INPUTS R"(
        setp_gt p0, v0, c0.w
        mov r1, c0
        (p0) mov r1.w, c2
        setp_lt p0.xyz, v0, c0.w
        (p0) mov r1.xyz, c2
        mov oC0, r1)",
        [](Point &p) {
            for (int n = 0; n < 3; n++) p.color[0][n] = p.v(0)[n] < 4 ? c2[n] : c0[n];
            p.color[0].w = 4;
        });
    add("a predicate that is set in the line before", INPUTS R"(
        setp_gt p0.x, v0, c0.w
        (p0.x) mov r0.w, c0
        (!p0.x) mov r0.w, c2
        mov oC0.w, r0.w)",
        [](Point &p) { p.color[0].w = p.v(0).x > 4 ? 4 : 0.75f; });
    add("fetches behind predicates", INPUTS SAMPLER R"(
        setp_lt p0, v0, c0.w
        mov r0, c0
        (p0) texld r0, v0, s0
        mov oC0, r0
        mov r1, c0
        (!p0.x) texld r1.xw, v0, s0
        mov oC1, r1)",
        [](Point &p) {
            const Vec e = element(p.x, p.y);
            for (int n = 0; n < 4; n++) p.color[0][n] = p.v(0)[n] < 4 ? e[n] : c0[n];
            p.color[1] = p.v(0).x < 4 ? c0 : masked(c0, e, "xw");
        });
    add("texkill behind a predicate", INPUTS R"(
        setp_gt p0, v0, c0.y
        mov r0, c2
        (p0.x) texkill r0.x
        mov oC0, c0)",
        [](Point &p) {
            p.color[0] = c0;
            p.killed = p.v(0).x > 2;
        });
    add("oDepth behind a predicate", INPUTS R"(
        setp_gt p0, v0, c0.w
        mov oDepth, c0.x
        (p0.y) mov oDepth, c0.y)",
        [](Point &p) { p.depth = p.v(0).y > 4 ? 2 : 1; });

    add("if of a predicate", INPUTS R"(
        setp_gt p0, v0, v0.yxzw
        mov r0, c0
        if p0.x
            mov r0.x, c2
        else
            mov r0.y, c2
        endif
        if !p0.y
            add r0.z, r0.z, c0.x
        endif
        mov oC0, r0)",
        [](Point &p) {
            p.color[0] = vec(p.x > p.y ? -1.5f : 1, p.x > p.y ? 2 : 2.5f, p.y > p.x ? 3 : 4, 4);
        });
    const char *comparisons[] = {"gt", "lt", "ge", "le", "eq", "ne"};
    for (int n = 0; n < 6; n++) {
        const std::string name = comparisons[n];
        const auto holds = [=](const Point &p) {
            const bool each[] = {p.x > p.y,  p.x < p.y,  p.x >= p.y,
                                 p.x <= p.y, p.x == p.y, p.x != p.y};
            return each[n];
        };
        add(comparisons[n],
            INPUTS
                "mov r0, c3\n"
                "if_" +
                name + " v0.x, v0.y\n mov r0.x, c0\nelse\n mov r0.y, c0\nendif\n" + "setp_" + name +
                " p0, v0.x, v0.y\n(p0) mov r0.z, c0\n" + "rep i0\n break_" + name +
                " v0.x, v0.y\n mov r0.w, c0\nendrep\nmov oC0, r0",
            [=](Point &p) { p.color[0] = holds(p) ? vec(1, 0, 3, 0) : vec(0, 2, 0, 4); });
    }
    add("if of boolean constants", R"(
        mov r0, c3
        if b0
            add r0.x, r0, c0
        endif
        if b1
            add r0.y, r0, c0
        else
            add r0.z, r0, c0
        endif
        if !b1
            add r0.w, r0, c0
        endif
        mov oC0, r0)",
        [](Point &p) { p.color[0] = vec(1, 0, 3, 4); });
    add("defb", R"(
        defb b5, true
        defb b6, false
        mov r0, c3
        if b5
            add r0.x, r0, c0
        endif
        if b6
            add r0.y, r0, c0
        endif
        if !b6
            add r0.z, r0, c0
        endif
        callnz l0, b5
        callnz l0, !b6
        callnz l0, b6
        mov oC0, r0
        ret
        label l0
        add r0.w, r0.w, c0.x
        ret)",
        [](Point &p) { p.color[0] = vec(1, 0, 3, 2); });
    add("an output in a branch", INPUTS R"(
        mov oC0, c0
        if_gt v0.x, c0.w
            mov oC0, c2
        endif)",
        [](Point &p) { p.color[0] = p.v(0).x > 4 ? c2 : c0; });
    add("an output beside a comparison", INPUTS R"(
        mov r0, c0
        mov oC0.w, r0.w
        if_gt v0.x, c0.w
            mov oC0.xyz, c2
        endif)",
        [](Point &p) {
            p.color[0].w = 4;
            if (p.v(0).x > 4) p.color[0] = masked(p.color[0], c2, "xyz");
        });
    add("a comparison of what the line before wrote", INPUTS R"(
        mov r0.w, v0.x
        if_gt r0.w, c0.w
            mov oC0, c2
        endif)",
        [](Point &p) {
            if (p.v(0).x > 4) p.color[0] = c2;
        });

    add("rep", R"(
        mov r0, c3
        rep i0
            add r0, r0, c0
        endrep
        rep i2
            mov r0, c2
        endrep
        mov oC0, r0)",
        [](Point &p) { p.color[0] = vec(3, 6, 9, 12); });
    add("rep inside of rep", R"(
        mov r0, c3
        rep i0
            rep i1
                add r0.x, r0, c0.x
                rep i3
                    add r0.y, r0, c0.x
                endrep
            endrep
        endrep
        mov oC0, r0)",
        [](Point &p) { p.color[0] = vec(6, 24, 0, 0); });
    add("defi", R"(
        defi i0, 2, 3, 4, 0
        mov r0, c3
        loop aL, i0
            add r0, r0, c[aL+8]
        endloop
        mov oC0, r0)",
        [](Point &p) { p.color[0] = constant(11) + constant(15); });
    add("inputs by aL, upwards", INPUTS R"(
        dcl_texcoord3 v3
        mov r0, c3
        loop aL, i0
            add r0, r0, v[aL+1]
        endloop
        mov oC0, r0)",
        [](Point &p) { p.color[0] = p.v(1) + p.v(2) + p.v(3); });
    add("inputs by aL, downwards", R"(
        dcl_texcoord0 v0
        dcl_texcoord5 v5
        mov r0, c3
        loop aL, i1
            add r0, r0, v[aL]
        endloop
        mov oC0, r0)",
        [](Point &p) { p.color[0] = p.v(5) + p.v(3); });
    add("aL of two loops", R"(
        mov r0, c3
        mov r1, c3
        loop aL, i0
            add r0, r0, c[aL+8]
            loop aL, i3
                add r1, r1, c[aL]
            endloop
            add r0, r0, c10[aL]
        endloop
        mov oC0, r0
        mov oC1, r1)",
        [](Point &p) {
            p.color[0] = c8 + c9 + 2 * c10 + constant(11) + constant(12);
            p.color[1] = 3 * (c8 + c10 + constant(12) + constant(14));
        });
    add("loop and rep in one another", R"(
        mov r0, c3
        mov r1, c3
        loop aL, i0
            rep i1
                add r0, r0, c[aL+8]
            endrep
        endloop
        rep i1
            loop aL, i0
                add r1, r1, c[aL+8]
            endloop
        endrep
        mov oC0, r0
        mov oC1, r1)",
        [](Point &p) { p.color[0] = p.color[1] = 2 * (c8 + c9 + c10); });
    add("a matrix by aL", INPUTS R"(
        mov r0, c3
        loop aL, i0
            m4x3 r1.xyz, v0, c[aL+8]
            add r0.xyz, r0, r1
        endloop
        mov oC0, r0)",
        [](Point &p) {
            p.color[0] = all(0);
            for (int n = 0; n < 9; n++)
                p.color[0][n % 3] += dot4(p.v(0), constant(8 + n / 3 + n % 3));
        });
    add("break_ge", INPUTS R"(
        mov r0, c3
        rep i5
            add r0.x, r0, c0.x
            break_ge r0.x, v0.x
            add r0.y, r0, c0.x
        endrep
        mov oC0, r0)",
        [](Point &p) { p.color[0] = vec(p.x + 1.0f, float(p.x), 0, 0); });
    add("breakp", INPUTS R"(
        mov r0, c3
        rep i5
            add r0.xy, r0, c0.x
            setp_gt p0, r0, v0
            breakp p0.y
            add r0.z, r0, c0.x
        endrep
        mov oC0, r0)",
        [](Point &p) { p.color[0] = vec(p.y + 1.0f, p.y + 1.0f, float(p.y), 0); });
    add("breakp of an inverted predicate", INPUTS R"(
        mov r0, c3
        rep i5
            add r0.xy, r0, c0.x
            setp_le p0, r0, v0
            breakp !p0.y
        endrep
        mov oC0, r0)",
        [](Point &p) { p.color[0] = vec(p.y + 1.0f, p.y + 1.0f, 0, 0); });
    add("break out of two loops", INPUTS R"(
        mov r0, c3
        rep i0
            mov r1.x, c3
            rep i5
                add r1.x, r1, c0.x
                if_gt r1.x, v0.y
                    break
                endif
            endrep
            add r0.x, r0, r1
            if_gt r0.x, c6.w
                break
            endif
        endrep
        mov oC0, r0)",
        [](Point &p) {
            float sum = 0;
            for (int n = 0; n < 3 && sum <= 12; n++) sum += p.y + 1.0f;
            p.color[0] = vec(sum, 0, 0, 0);
        });

    add("calls of calls", R"(
        mov r0, c3
        call l3
        call l1
        mov oC0, r0
        ret
        label l1
        add r0.x, r0, c0.x
        call l3
        ret
        label l3
        add r0.y, r0, c0.x
        ret)",
        [](Point &p) { p.color[0] = vec(1, 2, 0, 0); });
    add("four calls deep", R"(
        mov r0, c3
        call l0
        mov oC0, r0
        ret
        label l0
        add r0.x, r0, c0.x
        call l1
        ret
        label l1
        add r0.x, r0, c0.x
        call l2
        ret
        label l2
        add r0.x, r0, c0.x
        call l2047
        ret
        label l2047
        add r0.x, r0, c0.x
        ret)",
        [](Point &p) { p.color[0] = vec(4, 0, 0, 0); });
    add("callnz of predicates", INPUTS R"(
        mov r0, c3
        setp_gt p0, v0, v0.yxzw
        callnz l0, p0.x
        callnz l0, !p0.x
        callnz l1, p0.y
        mov oC0, r0
        ret
        label l0
        add r0.x, r0, c0.x
        ret
        label l1
        add r0.y, r0, c0.x
        ret)",
        [](Point &p) { p.color[0] = vec(1, p.y > p.x ? 1 : 0, 0, 0); });
    add("aL in a subroutine", R"(
        mov r0, c3
        loop aL, i0
            call l0
        endloop
        mov oC0, r0
        ret
        label l0
        add r0, r0, c[aL+8]
        ret)",
        [](Point &p) { p.color[0] = c8 + c9 + c10; });
    add("a subroutine with branches, a loop that points leave at different times", INPUTS R"(
        mov r0, c3
        loop aL, i5
            call l0
            break_gt r0.x, v0.x
        endloop
        mov oC0, r0
        ret
        label l0
        if_lt r0.x, c6.y
            add r0.x, r0, c0.x
        else
            add r0.x, r0, c0.y
        endif
        ret)",
        [](Point &p) {
            float sum = 0;
            while (sum <= p.v(0).x) sum += sum < 4 ? 1 : 2;
            p.color[0] = vec(sum, 0, 0, 0);
        });
    add("a loop in a subroutine that some points call", INPUTS R"(
        mov r0, c3
        if_gt v0.x, c0.y
            call l0
        endif
        mov oC0, r0
        ret
        label l0
        rep i5
            add r0.x, r0, c0.x
            break_gt r0.x, v0.y
        endrep
        ret)",
        [](Point &p) { p.color[0] = vec(p.v(0).x > 2 ? p.y + 1.0f : 0, 0, 0, 0); });
    return list;
}

#endif
