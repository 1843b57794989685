#version 300 es
// ES 3.00, 6.1: A function with a wrong body can be called.
precision highp float;
out vec4 color;
float f(float a) {
    return a + vec3(1.0).xy + b; //~ error: there is no variable `b`
}

void main() {
    color = vec4(f(1.0));
}
