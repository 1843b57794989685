#version 300 es
// ES 3.00, 4.7: The precision comes after the storage.
precision highp float;
out vec4 color;
mediump in vec2 a; //~ error
lowp uniform float b; //~ error

void main() {
    color = vec4(1.0);
}
