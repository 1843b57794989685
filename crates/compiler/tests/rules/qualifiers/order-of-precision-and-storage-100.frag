// ES 1.00, 4.7: The precision comes after the storage.
#version 100
precision mediump float;
mediump varying vec2 a; //~ error
lowp uniform float b; //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
