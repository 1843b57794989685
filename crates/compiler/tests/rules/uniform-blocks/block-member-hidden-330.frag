// GLSL 3.30, 4.3.7: A local variable hides the member of a block.
// value: 3 0 0 1
#version 330
out vec4 color;
uniform Block {
    float a;
};

void main() {
    float a = 3.0;
    color = vec4(a, 0.0, 0.0, 1.0);
}
