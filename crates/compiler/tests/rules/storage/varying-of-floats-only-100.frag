// ES 1.00, 4.3.5: Varyings are floats, vectors and matrices of floats, and arrays of these.
#version 100
precision mediump float;
varying int a; //~ error
varying bool b; //~ error
varying ivec2 c; //~ error
varying float ok;
varying mat2 fine;
varying vec2 good[2];

void main() {
    gl_FragColor = vec4(1.0);
}
