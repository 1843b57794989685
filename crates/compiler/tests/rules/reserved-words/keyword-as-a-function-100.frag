// ES 1.00, 3.7: Keywords cannot be names of functions.
#version 100
precision mediump float;
float while(float a) { return a; } //~ error
float vec3(float a) { return a; } //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
