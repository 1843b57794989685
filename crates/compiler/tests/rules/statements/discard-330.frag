// GLSL 3.30, 6.4: `discard` ends a point without a result.
#version 330
out vec4 color;
uniform float u;
void f() {
    if (u > 1.0) discard;
}

void main() {
    f();
    if (u > 0.5) {
        discard;
    }
    color = vec4(1.0);
}
