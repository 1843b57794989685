#version 300 es
// ES 3.00, 3.7: A shader of ES 1.00 that says it is ES 3.00.
precision highp float;
out vec4 color;
varying vec2 uv; //~ error
uniform sampler2D s;

void main() {
    gl_FragColor = texture2D(s, uv); //~ error
}
