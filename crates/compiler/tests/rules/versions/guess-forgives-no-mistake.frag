// GLSL, 1.10: What no version allows is an error, also without `#version`.
uniform int n;
varying vec2 uv;
void main() {
    int a = 1.0; //~ error
    float b = true; //~ error
    float c = uv; //~ error
    bool d = n; //~ error
    float e = "a"; //~ error
    gl_FragColor = vec3(1.0); //~ error
}
