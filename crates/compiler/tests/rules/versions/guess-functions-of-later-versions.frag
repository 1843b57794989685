// GLSL, 1.10: Without `#version` a built-in function of later versions is a warning.
// value: 2 -2 5 1
// set u = 1.75
uniform float u;
void main() {
    float a = round(u); //~ warning
    float b = trunc(-2.5); //~ warning
    float c = cosh(0.0) + 4.0; //~ warning
    gl_FragColor = vec4(a, b, c, 1.0);
}
