#version 300 es
// ES 3.00, 4.3.7: A block's name is declared once.
precision highp float;
out vec4 color;
uniform Block {
    vec4 a;
};
uniform Block { //~ error: there are two blocks `Block`
    vec4 b;
};

void main() {
    color = vec4(1.0);
}
