// GLSL 3.30, 3.3: `#undef` of a name that is not defined has no effect.
// value: 1 0 0 1
#version 330
out vec4 color;
#undef NOT_DEFINED

void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
