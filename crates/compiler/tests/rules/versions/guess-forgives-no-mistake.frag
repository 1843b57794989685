// GLSL, 1.10: What no version allows is an error, also without `#version`.
uniform int n;
varying vec2 uv;
void main() {
    int a = 1.0; //~ error: the initial value is of type `float`; expected `int`
    float b = true; //~ error: the initial value is of type `bool`; expected `float`
    float c = uv; //~ error: the initial value is of type `vec2`; expected `float`
    bool d = n; //~ error: the initial value is of type `int`; expected `bool`
    float e = "a"; //~ error: the character '"' does not exist in the language
    gl_FragColor = vec3(1.0); //~ error: the value is of type `vec3`; expected `vec4`
}
