// GLSL 3.30, 4.3.7: The outputs of a fragment shader are no block; in ES 3.00 its inputs are none either.
#version 330
out vec4 color;
out Other { //~ error: a fragment shader has no blocks of outputs
    vec4 b;
};

void main() {
    color = vec4(1.0);
}
