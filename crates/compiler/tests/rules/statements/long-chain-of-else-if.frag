// GLSL 3.30, 6.2: A chain of `else if` has no limit of its own.
// value: 7 0 0 1
#version 330
#define A(n) else if (x == n) y = float(n);
#define B(n) A(n) A(n + 1) A(n + 2) A(n + 3) A(n + 4)
#define C(n) B(n) B(n + 5) B(n + 10) B(n + 15)
out vec4 color;
void main() {
    const int x = 7;
    float y = 0.0;
    if (x == 1) y = 1.0;
    C(2) C(22) C(42) C(62) C(82) C(102) C(122) C(142) C(162) C(182) C(202) C(222) C(242) C(262) C(282) C(302)
    color = vec4(y, 0.0, 0.0, 1.0);
}
