#version 300 es
// ES 3.00, 4.3.7: Members may be numbers, vectors, matrices, arrays and structures.
precision highp float;
out vec4 color;
struct S { float a; vec2 b; };
uniform Block {
    float a;
    int b;
    uint c;
    bool d;
    vec3 e;
    mat3 f;
    vec4 g[3];
    S h;
    S i[2];
};

void main() {
    float sum = a + float(b) + float(c) + (d ? 1.0 : 2.0) + e.x + f[1][2] + g[2].w + h.b.y + i[1].a;
    color = vec4(sum);
}
