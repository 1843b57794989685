#version 300 es
// ES 3.00, 3.4: Macros are expanded in `#line`.
// value: 50 3 0 1
precision highp float;
out vec4 color;
#define L 50
#define F 3

void main() {
#line L F
    color = vec4(__LINE__, __FILE__, 0.0, 1.0);
}
