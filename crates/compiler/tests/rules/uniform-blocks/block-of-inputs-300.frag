#version 300 es
// ES 3.00, 4.3.7: The outputs of a fragment shader are no block; in ES 3.00 its inputs are none either.
precision highp float;
out vec4 color;
in Block { //~ error
    vec4 a;
};
out Other { //~ error
    vec4 b;
};

void main() {
    color = vec4(1.0);
}
