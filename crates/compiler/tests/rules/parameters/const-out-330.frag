// GLSL 3.30, 4.4: `const` does not go with out and inout.
#version 330
out vec4 color;
void f(const out float a) { a = 1.0; } //~ error: `const` and `out` cannot be combined
void g(const inout float a) {} //~ error: `const` and `inout` cannot be combined
float h(const in float a) { return a; }

void main() {
    color = vec4(1.0);
}
