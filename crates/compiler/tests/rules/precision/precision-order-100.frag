// ES 1.00, 4.7: The precision stands after the storage, before the type.
#version 100
precision mediump float;
mediump uniform float a; //~ error
highp const float b = 1.0; //~ error
uniform float mediump c; //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
