#version 300 es
// ES 3.00, 5.4: A constructor has arguments.
precision highp float;
out vec4 color;
void main() {
    float a = float(); //~ error
    vec2 b = vec2(); //~ error
    mat2 c = mat2(); //~ error
}
