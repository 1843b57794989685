// ES 1.00, 4.2.6: A variable may be called like a built-in function.
// value: 2 3 4 1
#version 100
precision mediump float;
void main() {
    float sin = 2.0, texture2D = 3.0, mix = 4.0;
    gl_FragColor = vec4(sin, texture2D, mix, 1.0);
}
