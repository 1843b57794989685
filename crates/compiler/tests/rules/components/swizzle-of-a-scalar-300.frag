#version 300 es
// ES 3.00, 5.5: A scalar has no components.
precision highp float;
out vec4 color;
void main() {
    float a = 1.0;
    vec2 b = a.xx; //~ error
    vec3 c = 1.0.xxx; //~ error
}
