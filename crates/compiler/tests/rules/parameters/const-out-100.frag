// ES 1.00, 4.4: `const` does not go with out and inout.
#version 100
precision mediump float;
void f(const out float a) { a = 1.0; } //~ error: `const` and `out` do not go together
void g(const inout float a) {} //~ error: `const` and `inout` do not go together
float h(const in float a) { return a; }

void main() {
    gl_FragColor = vec4(1.0);
}
