#version 300 es
// ES 3.00, 4.3.4: An input of integers is not interpolated: it is `flat`.
precision highp float;
out vec4 color;
in int a; //~ error: an input of type `int` must be `flat`
in ivec3 b; //~ error: an input of type `ivec3` must be `flat`
in uint c; //~ error: an input of type `uint` must be `flat`
flat in int ok;

void main() {
    color = vec4(1.0);
}
