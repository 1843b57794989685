// GLSL 1.20, 4.3.6: Varyings are floats, vectors and matrices of floats, and arrays of these.
#version 120
varying int a; //~ error
varying bool b; //~ error
varying ivec2 c; //~ error
varying float ok;
varying mat2 fine;
varying vec2 good[2];

void main() {
    gl_FragColor = vec4(1.0);
}
