// ES 1.00, 5.5: A scalar has no components.
#version 100
precision mediump float;
void main() {
    float a = 1.0;
    vec2 b = a.xx; //~ error
    vec3 c = 1.0.xxx; //~ error
}
