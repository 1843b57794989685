#version 300 es
// ES 3.00, 4.3.7: A block says what it is: `uniform`.
precision highp float;
out vec4 color;
Block { //~ error: expected the name of a variable, found `{`
    vec4 a;
};

void main() {
    color = vec4(1.0);
}
