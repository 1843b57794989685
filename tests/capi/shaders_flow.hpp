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

    /* Each instruction behind each kind of predicate: of a channel, inverted, for all. */
    const Vec c5 = constant(5);
    struct Gated {
        const char *text, *mask;
        std::function<Vec(const Point &)> value;
    };
    const auto known = [](Vec value) { return [=](const Point &) { return value; }; };
    Vec rows;
    for (int n = 0; n < 4; n++) rows[n] = dot4(c2, constant(8 + n));
    const Vec thirds = vec(dot3(c0, c8), dot3(c0, c9), dot3(c0, c10), 0);
    const Gated gated[] = {
        {"mov r0, c0", "xyzw", known(c0)},
        {"dp3 r0, c0, c5", "xyzw", known(all(dot3(c0, c5)))},
        {"dp3 r0.w, c0, c5", "w", known(all(dot3(c0, c5)))},
        {"dp4 r0.xy, c0, c5", "xy", known(all(dot4(c0, c5)))},
        {"dp2add_sat r0.xzw, c0, c5, c1.y", "xzw", known(all(0.2f))},
        {"rcp r0.xyw, c0.w", "xyw", known(all(0.25f))},
        {"rcp r0.w, c0.w", "w", known(all(0.25f))},
        {"pow r0, c0.y, c0.z", "xyzw", known(all(8))},
        {"nrm r0, c6", "xyzw", known(vec(0.6f, 0.8f, 0, 2.4f))},
        {"lrp r0, c5.x, c0, r0", "xyzw", known(0.5f * (c0 - c2) + c2)},
        {"lrp r0.yzw, c5.x, -c0, r0", "yzw", known(0.5f * (-c0 - c2) + c2)},
        {"m3x3 r0.xyz, c0, c8", "xyz", known(thirds)},
        {"m4x4 r0, r0, c8", "xyzw", known(rows)},
        {"sincos r0.xy, c0.x", "xy", known(vec(std::cos(1.0f), std::sin(1.0f), 0, 0))},
        {"crs r0.xyz, c0, c5", "xyz", known(cross(c0, c5))},
        {"dsx r0, v0", "xyzw", known(vec(1, 0, 1, 0))},
        {"dsy r0.yz, -v0", "yz", known(vec(0, -1, 1, 0))},
        {"cmp r0, -v0, c0, c5", "xyzw", [=](const Point &p) { return choose(-p.v(0), c0, c5); }},
        {"texld r0.xw, v0, s0", "xw", [](const Point &p) { return element(p.x, p.y); }},
    };
    const char *gates[] = {"(p0) ", "(!p0) ", "(p0.x) ", "(!p0.y) ", "(p0.w) ", "(!p0.wwww) "};
    for (const char *gate : gates)
        for (const Gated &one : gated) {
            const std::string source = std::string(INPUTS SAMPLER) +
                                       "setp_gt p0, v0, v0.yxzw\nmov r0, c2\n" + gate + one.text +
                                       "\nmov oC0, r0";
            const std::string text = gate, mask = one.mask;
            const auto value = one.value;
            add(one.text, source, [=](Point &p) {
                const Vec bits = vec(p.x > p.y, p.y > p.x, 0, 0);
                const bool inverted = text[1] == '!';
                const std::size_t dot = text.find('.');
                for (int n = 0; n < 4; n++) {
                    const std::size_t channel =
                        dot == std::string::npos ? n : std::string("xyzw").find(text[dot + 1]);
                    const bool open = (bits[static_cast<int>(channel)] != 0) != inverted;
                    const bool written = mask.find("xyzw"[n]) != std::string::npos;
                    p.color[0][n] = open && written ? value(p)[n] : c2[n];
                }
            });
        }
    add("predicates that a loop changes", INPUTS R"(
        mov r0, c3
        setp_eq p0, c0, c0
        rep i0
            (p0) add r0, r0, c0.x
            setp_gt p0, v0, r0
        endrep
        mov oC0, r0)",
        [](Point &p) {
            for (int n = 0; n < 4; n++) {
                float sum = 1;
                for (int k = 0; k < 2; k++)
                    if (p.v(0)[n] > sum) sum += 1;
                p.color[0][n] = sum;
            }
        });

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
    add("fetches and texkill in branches", INPUTS SAMPLER R"(
        mov r0, c0
        if_gt v0.x, v0.y
            texld r0, v0, s0
            add r1, v0.yxzw, -c0.y
            texkill r1.x
        endif
        mov oC0, r0)",
        [](Point &p) {
            p.color[0] = p.x > p.y ? element(p.x, p.y) : c0;
            p.killed = p.x > p.y && p.v(0).y < 2;
        });
    add("a break in branches of a loop in a branch", INPUTS R"(
        mov r0, c3
        if_gt v0.x, v0.y
            loop aL, i5
                add r0.x, r0, c0.x
                if_gt r0.x, v0.y
                    add r0.y, r0, c0.x
                    if_gt r0.y, c0.y
                        break
                    endif
                endif
            endloop
        else
            mov r0.z, c0.w
        endif
        add r0.w, r0, c0.x
        mov oC0, r0)",
        [](Point &p) { p.color[0] = p.x > p.y ? vec(p.y + 3.0f, 3, 0, 1) : vec(0, 0, 4, 1); });
    add("a call before a break", INPUTS R"(
        mov r0, c3
        rep i5
            call l0
            if p0.x
                break
            endif
        endrep
        mov oC0, r0
        ret
        label l0
        rep i1
            add r0.x, r0, c0.x
        endrep
        setp_gt p0.x, r0, v0
        callnz l1, p0.x
        ret
        label l1
        add r0.y, r0, c0.w
        ret)",
        [](Point &p) {
            float sum = 2;
            while (!(sum > p.v(0).x)) sum += 2;
            p.color[0] = vec(sum, 4, 0, 0);
        });
    return list;
}

#endif
