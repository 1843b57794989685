#version 300 es
// ES 3.00, 4.7: The order is interpolation, storage, precision.
precision highp float;
out vec4 color;
in smooth vec2 a; //~ error: `smooth` comes before `in` in GLSL ES 3.00
in flat int b; //~ error: `flat` comes before `in` in GLSL ES 3.00
mediump in vec2 c; //~ error: `in` comes before `mediump` in GLSL ES 3.00

void main() {
    color = vec4(1.0);
}
