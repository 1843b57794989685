// GLSL 3.30, 3.3: The second number of `#line` is `__FILE__`, which is 0 at first.
// value: 0 7 10 1
#version 330
out vec4 color;
void main() {
    float a = float(__FILE__);
#line 10 7
    color = vec4(a, __FILE__, __LINE__, 1.0);
}
