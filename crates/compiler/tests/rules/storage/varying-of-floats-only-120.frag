// GLSL 1.20, 4.3.6: Varyings are floats, vectors and matrices of floats, and arrays of these.
#version 120
varying int a; //~ error: in GLSL 1.20 an input cannot be of type `int`
varying bool b; //~ error: an input cannot be of type `bool`
varying ivec2 c; //~ error: in GLSL 1.20 an input cannot be of type `ivec2`
varying float ok;
varying mat2 fine;
varying vec2 good[2];

void main() {
    gl_FragColor = vec4(1.0);
}
