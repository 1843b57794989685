#version 300 es
// ES 3.00, 3.4: The second number of `#line` is `__FILE__`, which is 0 at first.
// value: 0 7 10 1
precision highp float;
out vec4 color;
void main() {
    float a = float(__FILE__);
#line 10 7
    color = vec4(a, __FILE__, __LINE__, 1.0);
}
