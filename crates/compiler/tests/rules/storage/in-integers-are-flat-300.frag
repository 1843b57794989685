#version 300 es
// ES 3.00, 4.3.4: An input of integers is not interpolated: it is `flat`.
precision highp float;
out vec4 color;
in int a; //~ error
in ivec3 b; //~ error
in uint c; //~ error
flat in int ok;

void main() {
    color = vec4(1.0);
}
