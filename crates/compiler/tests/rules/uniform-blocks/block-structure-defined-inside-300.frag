#version 300 es
// ES 3.00, 4.3.7: No structure is defined within a block.
precision highp float;
out vec4 color;
uniform Block {
    struct S { float a; } s; //~ error: GLSL ES 3.00 defines no structure within another
    vec4 b;
};

void main() {
    color = vec4(1.0);
}
