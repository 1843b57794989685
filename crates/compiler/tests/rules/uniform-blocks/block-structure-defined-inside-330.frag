// GLSL 3.30, 4.3.7: No structure is defined within a block.
#version 330
out vec4 color;
uniform Block {
    struct S { float a; } s; //~ error: GLSL 3.30 defines no structure within another
    vec4 b;
};

void main() {
    color = vec4(1.0);
}
