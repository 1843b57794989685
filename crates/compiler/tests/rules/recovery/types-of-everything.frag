#version 300 es
// ES 3.00, 5: Every kind of mistake of types.
precision highp float;
out vec4 color;
uniform vec3 v;
uniform mat3 m;
uniform int n;
uniform bool b;
struct S { float a; };

void main() {
    float c = v; //~ error
    vec2 d = v; //~ error
    int e = 1.0; //~ error
    bool f = n; //~ error
    S g = 1.0; //~ error
    mat2 h = m; //~ error
    c = b ? 1.0 : n; //~ error
    c = v[1.0]; //~ error
    d = m * d; //~ error
    e = n + 1.0; //~ error
    f = v < v; //~ error
    if (n) {} //~ error
    c = -b; //~ error
    g = S(v); //~ error
    c = g; //~ error
}
