// GLSL 3.30, 5.4: A constructor has arguments.
#version 330
out vec4 color;
void main() {
    float a = float(); //~ error
    vec2 b = vec2(); //~ error
    mat2 c = mat2(); //~ error
}
