// GLSL 3.30, 3.3: `#line` sets the number of the next line; before GLSL 3.30 that is one more than it says.
// value: 1 0 0 1
#version 330
out vec4 color;
void main() {
#line 40
    color = vec4(__LINE__ == 40, 0.0, 0.0, 1.0);
}
