#version 300 es
// ES 3.00, 3.7: `attribute` and `varying` are reserved.
precision highp float;
out vec4 color;
void main() {
    float attribute = 1.0; //~ error: `attribute` is a reserved word of GLSL ES 3.00, it cannot be a name
    float varying = 1.0; //~ error: `varying` is a reserved word of GLSL ES 3.00, it cannot be a name
}
