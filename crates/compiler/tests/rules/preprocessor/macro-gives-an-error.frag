#version 300 es
// ES 3.00, 3.4: A mistake that a macro gives is shown where the macro is used.
precision highp float;
out vec4 color;
#define WRONG(x) (x + true)

void main() {
    float a = 1.0;
    color = vec4(WRONG(a)); //~ error: `+` does not take `float` and `bool`
}
