// GLSL 1.20, 3.3: `#line` sets the number of the next line; before GLSL 3.30 that is one more than it says.
// value: 1 0 0 1
#version 120
void main() {
#line 40
    gl_FragColor = vec4(__LINE__ == 41, 0.0, 0.0, 1.0);
}
