#version 300 es
// ES 3.00, 5.5: A scalar has no components.
precision highp float;
out vec4 color;
void main() {
    float a = 1.0;
    vec2 b = a.xx; //~ error: `float` has no components: `.xx` is for vectors
    vec3 c = 1.0.xxx; //~ error: `float` has no components: `.xxx` is for vectors
}
