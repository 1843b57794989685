#version 300 es
// ES 3.00, 4.3.7: There are no buffer blocks.
precision highp float;
out vec4 color;
buffer Block { //~ error: expected `;` after a declaration, found `{`
    vec4 a;
};

void main() {
    color = vec4(1.0);
}
