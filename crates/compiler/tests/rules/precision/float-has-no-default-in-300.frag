#version 300 es
// ES 3.00, 4.5.4: A fragment shader has no default precision for floats.
out vec4 color; //~ error: GLSL ES 3.00 has no precision for `float` in a fragment shader unless the source gives one

void main() {
}
