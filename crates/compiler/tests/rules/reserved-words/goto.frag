#version 300 es
// ES 3.00, 3.7: There is no `goto`.
precision highp float;
out vec4 color;
void main() {
    goto end; //~ error: there is no type `goto`
}
