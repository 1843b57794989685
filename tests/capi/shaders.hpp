/*
 * What the shaders of shaders.cpp run on, and values of four numbers to say what they should give.
 */
#ifndef SHADERS_HPP
#define SHADERS_HPP

#include <cmath>
#include <functional>
#include <string>
#include <vector>

/* Points of the domain in each direction. */
enum { SIDE = 8 };

/* What memory holds before a run. */
static const float BEFORE = -77;

struct Vec {
    float x, y, z, w;
    float &operator[](int n) { return n == 0 ? x : n == 1 ? y : n == 2 ? z : w; }
    float operator[](int n) const { return n == 0 ? x : n == 1 ? y : n == 2 ? z : w; }
};

inline Vec vec(float x, float y, float z, float w) { return Vec{x, y, z, w}; }
inline Vec all(float x) { return Vec{x, x, x, x}; }

/* Lane by lane. */
template <class F>
Vec map(const Vec &a, F f) {
    return vec(f(a.x), f(a.y), f(a.z), f(a.w));
}
template <class F>
Vec map(const Vec &a, const Vec &b, F f) {
    return vec(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w));
}
inline Vec operator+(const Vec &a, const Vec &b) {
    return map(a, b, [](float p, float q) { return p + q; });
}
inline Vec operator-(const Vec &a, const Vec &b) {
    return map(a, b, [](float p, float q) { return p - q; });
}
inline Vec operator*(const Vec &a, const Vec &b) {
    return map(a, b, [](float p, float q) { return p * q; });
}
inline Vec operator-(const Vec &a) {
    return map(a, [](float p) { return -p; });
}
inline Vec operator*(float a, const Vec &b) { return all(a) * b; }
inline Vec absolute(const Vec &a) {
    return map(a, [](float p) { return std::fabs(p); });
}
inline float clamp(float a) { return a > 0 ? (a < 1 ? a : 1) : 0; }
inline Vec clamp(const Vec &a) {
    return map(a, [](float p) { return clamp(p); });
}
inline Vec lowest(const Vec &a, const Vec &b) {
    return map(a, b, [](float p, float q) { return p < q ? p : q; });
}
inline Vec highest(const Vec &a, const Vec &b) {
    return map(a, b, [](float p, float q) { return p > q ? p : q; });
}
inline Vec fraction(const Vec &a) {
    return map(a, [](float p) { return p - std::floor(p); });
}
/* b where a >= 0, else c. */
inline Vec choose(const Vec &a, const Vec &b, const Vec &c) {
    return vec(a.x >= 0 ? b.x : c.x, a.y >= 0 ? b.y : c.y, a.z >= 0 ? b.z : c.z,
               a.w >= 0 ? b.w : c.w);
}
inline float dot3(const Vec &a, const Vec &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline float dot4(const Vec &a, const Vec &b) { return dot3(a, b) + a.w * b.w; }
inline Vec cross(const Vec &a, const Vec &b) {
    return vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x, BEFORE);
}
inline Vec swizzle(const Vec &a, const char *letters) {
    Vec result;
    const std::string names = "xyzw";
    for (int n = 0; n < 4; n++) result[n] = a[static_cast<int>(names.find(letters[n]))];
    return result;
}
/* The channels of a mask from `b`, the others from `a`. */
inline Vec masked(Vec a, const Vec &b, const std::string &mask) {
    const std::string names = "xyzw";
    for (int n = 0; n < 4; n++)
        if (mask.find(names[n]) != std::string::npos) a[n] = b[n];
    return a;
}

/* Constants c0 to c31 that the client sets. */
inline Vec constant(int n) {
    const float infinity = HUGE_VALF, nan = std::nanf("");
    switch (n) {
        case 0:
            return vec(1, 2, 3, 4);
        case 1:
            return vec(0.25f, -0.5f, 0, -8);
        case 2:
            return vec(-1.5f, 2.5f, -3.5f, 0.75f);
        case 3:
            return vec(0, 0, 0, 0);
        case 4:
            return vec(1e30f, -1e30f, infinity, nan);
        case 5:
            return vec(0.5f, 0.1f, 0.9f, 1.5f);
        case 6:
            return vec(3, 4, 0, 12);
        case 7:
            return vec(-0.0f, 0, -1, 1);
        default:
            return vec(float(n), float(n * n), float(-n), float(100 + n));
    }
}

/* Integer constants i0 to i5: count, start and step of aL, 0. */
static const signed char INTEGERS[6][4] = {{3, 0, 1, 0}, {2, 5, -2, 0}, {0, 7, 1, 0},
                                           {4, 8, 2, 0}, {1, 1, 1, 0},  {-1, 0, 1, 0}};

/* b0 is true, b1 false. */
static const unsigned int BOOLEANS[2] = {1, 0};

/* The element of s0 at (x, y). */
inline Vec element(int x, int y) { return vec(float(x), float(y), float(10 * x + y), -1); }

/* Interpolant n at a place: all are planes. */
inline Vec interpolant(int n, float x, float y) {
    switch (n) {
        case 0:
            return vec(x, y, x - y, 1);
        case 1:
            return vec(-x, 10 - y, 0.5f, x / 8);
        default:
            return vec(n * x, n * y, float(n), 0);
    }
}

/* A point of the domain, and what it should leave behind. */
struct Point {
    int x, y;
    Vec color[4];
    float depth;
    bool killed;

    Point(int x_, int y_) : x(x_), y(y_), depth(0), killed(false) {
        for (int n = 0; n < 4; n++) color[n] = all(BEFORE);
    }
    /* Interpolant n. */
    Vec v(int n) const { return interpolant(n, x + 0.5f, y + 0.5f); }
};

struct Shader {
    const char *name;
    std::string source; /* behind the version */
    std::function<void(Point &)> expect;
};

#endif
