#version 300 es
// ES 3.00, 4.5.4: A default counts from its line on.
out highp vec4 color;
float a; //~ error: GLSL ES 3.00 has no precision for `float` in a fragment shader unless the source gives one
precision mediump float;
float b;

void main() {
    color = vec4(1.0);
}
