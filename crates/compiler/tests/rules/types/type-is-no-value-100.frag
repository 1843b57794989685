// ES 1.00, 5: A type alone is no value.
#version 100
precision mediump float;
void main() {
    float a = float; //~ error
    gl_FragColor = vec4; //~ error
}
