// ES 1.00, 4.1.9: A parameter that is an array has a size.
#version 100
precision mediump float;
float f(float a[]) { return a[0]; } //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
