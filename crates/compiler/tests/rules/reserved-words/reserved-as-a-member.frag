#version 300 es
// ES 3.00, 3.7: Words that are reserved cannot be names of members.
precision highp float;
out vec4 color;
struct S {
    float input; //~ error: `input` is a reserved word of GLSL ES 3.00, it cannot be a name
    float filter; //~ error: `filter` is a reserved word of GLSL ES 3.00, it cannot be a name
    float ok;
};

void main() {
    color = vec4(1.0);
}
