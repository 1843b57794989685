#version 300 es
// ES 3.00, 4.3.7: The members of a block have different names.
precision highp float;
out vec4 color;
uniform Block {
    vec4 a;
    float a; //~ error: there are two members `a`
};

void main() {
    color = vec4(1.0);
}
