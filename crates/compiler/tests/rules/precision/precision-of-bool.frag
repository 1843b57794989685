#version 300 es
// ES 3.00, 4.5.3: bool has no precision.
precision highp float;
out vec4 color;
void main() {
    mediump bool a = true; //~ error: `bool` has no precision
    lowp bvec2 b = bvec2(true); //~ error: `bvec2` has no precision
}
