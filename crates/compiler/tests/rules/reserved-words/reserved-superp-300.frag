#version 300 es
// ES 3.00, 3.7: `superp` is reserved.
precision highp float;
out vec4 color;
void main() {
    float superp = 1.0; //~ error: `superp` is a reserved word of GLSL ES 3.00, it cannot be a name
}
