#version 300 es
// ES 3.00, 4.3.7: The outputs of a fragment shader are no block; in ES 3.00 its inputs are none either.
precision highp float;
out vec4 color;
in Block { //~ error: GLSL ES 3.00 has no such blocks
    vec4 a;
};
out Other { //~ error: a fragment shader has no blocks of outputs
    vec4 b;
};

void main() {
    color = vec4(1.0);
}
