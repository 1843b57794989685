#version 300 es
// ES 3.00, 4.5.4: A fragment shader has no default precision for floats, and none for members.
out highp vec4 color;
struct S {
    highp float a;
    vec2 b; //~ error: GLSL ES 3.00 has no precision for `float` in a fragment shader unless the source gives one
};

void main() {
    color = vec4(1.0);
}
