// GLSL 3.30, 5.5: A scalar has no components.
#version 330
out vec4 color;
void main() {
    float a = 1.0;
    vec2 b = a.xx; //~ error: `float` has no components: `.xx` is for vectors
    vec3 c = 1.0.xxx; //~ error: `float` has no components: `.xxx` is for vectors
}
