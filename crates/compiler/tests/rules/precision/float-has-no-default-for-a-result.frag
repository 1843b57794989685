#version 300 es
// ES 3.00, 4.5.4: A fragment shader has no default precision for floats, and none for what a function returns.
out highp vec4 color;
float f() { return 1.0; } //~ error: GLSL ES 3.00 has no precision for `float` in a fragment shader unless the source gives one

void main() {
    color = vec4(1.0);
}
