// ES 1.00, 4.1.7: An array of samplers is indexed by constants.
#version 100
precision mediump float;
uniform sampler2D s[2];

void main() {
    gl_FragColor = texture2D(s[0], vec2(0.5)) + texture2D(s[1], vec2(0.5));
}
