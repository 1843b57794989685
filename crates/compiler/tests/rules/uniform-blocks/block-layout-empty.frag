#version 300 es
// ES 3.00, 4.3.8: A layout is not empty.
precision highp float;
out vec4 color;
layout() uniform Block { //~ error: expected the name of a layout, found `)`
    vec4 a;
};

void main() {
    color = vec4(1.0);
}
