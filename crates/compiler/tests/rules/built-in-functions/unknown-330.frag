// GLSL 3.30, 8: A function that is called is built in or the shader's own.
#version 330
out vec4 color;
void main() {
    float a = foo(1.0); //~ error: there is no function `foo`
    float b = cbrt(8.0); //~ error: there is no function `cbrt`
    vec3 c = hsv2rgb(vec3(1.0)); //~ error: there is no function `hsv2rgb`
}
