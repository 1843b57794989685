#version 300 es
// ES 3.00, 4.5.3: A variable has one precision.
precision highp float;
out vec4 color;
void main() {
    lowp mediump float a = 1.0; //~ error: `lowp` and `mediump` cannot be combined
    highp highp float b = 1.0; //~ error: `highp` is repeated
}
