// ES 1.00, 8: A function that is called is built in or the shader's own.
#version 100
precision mediump float;
void main() {
    float a = foo(1.0); //~ error: there is no function `foo`
    float b = cbrt(8.0); //~ error: there is no function `cbrt`
    vec3 c = hsv2rgb(vec3(1.0)); //~ error: there is no function `hsv2rgb`
}
