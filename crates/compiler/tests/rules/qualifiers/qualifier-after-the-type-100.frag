// ES 1.00, 4.7: Qualifiers stand before the type.
#version 100
precision mediump float;
float uniform a; //~ error
float const b = 1.0; //~ error
vec4 varying c; //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
