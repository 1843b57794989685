// GLSL 1.20, 5.7: The constructor of an array may be indexed.
// value: 20 0 0 1
// set n = 1
#version 120
uniform int n;

void main() {
    gl_FragColor = vec4(float[3](10.0, 20.0, 30.0)[n], 0.0, 0.0, 1.0);
}
