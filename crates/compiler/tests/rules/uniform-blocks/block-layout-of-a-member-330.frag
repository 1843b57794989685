// GLSL 3.30, 4.3.8.3: A member has no std140 of its own.
#version 330
out vec4 color;
uniform Block {
    layout(std140) vec4 a; //~ error: `std140` is for uniform blocks
    float b;
};

void main() {
    color = vec4(1.0);
}
