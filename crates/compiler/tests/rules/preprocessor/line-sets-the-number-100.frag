// ES 1.00, 3.4: `#line` sets the number of the next line; before GLSL 3.30 that is one more than it says.
// value: 1 0 0 1
#version 100
precision mediump float;
void main() {
#line 40
    gl_FragColor = vec4(__LINE__ == 40, 0.0, 0.0, 1.0);
}
