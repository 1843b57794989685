#version 300 es
// ES 3.00, 8: A function that is called is built in or the shader's own.
precision highp float;
out vec4 color;
void main() {
    float a = foo(1.0); //~ error
    float b = cbrt(8.0); //~ error
    vec3 c = hsv2rgb(vec3(1.0)); //~ error
}
