// GLSL 3.30, 5.4: A constructor has arguments.
#version 330
out vec4 color;
void main() {
    float a = float(); //~ error: the constructor of `float` has no arguments
    vec2 b = vec2(); //~ error: the constructor of `vec2` has no arguments
    mat2 c = mat2(); //~ error: the constructor of `mat2` has no arguments
}
