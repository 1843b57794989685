#version 300 es
// ES 3.00, 4.7: The precision comes after the storage.
precision highp float;
out vec4 color;
mediump in vec2 a; //~ error: `in` comes before `mediump` in GLSL ES 3.00
lowp uniform float b; //~ error: `uniform` comes before `lowp` in GLSL ES 3.00

void main() {
    color = vec4(1.0);
}
