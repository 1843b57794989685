#version 300 es
// ES 3.00, 4.3.4: An input is not bool.
precision highp float;
out vec4 color;
in bool a; //~ error: an input cannot be of type `bool`
flat in bvec2 b; //~ error: an input cannot be of type `bvec2`

void main() {
    color = vec4(1.0);
}
