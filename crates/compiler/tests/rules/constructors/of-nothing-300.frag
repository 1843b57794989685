#version 300 es
// ES 3.00, 5.4: A constructor has arguments.
precision highp float;
out vec4 color;
void main() {
    float a = float(); //~ error: the constructor of `float` has no arguments
    vec2 b = vec2(); //~ error: the constructor of `vec2` has no arguments
    mat2 c = mat2(); //~ error: the constructor of `mat2` has no arguments
}
