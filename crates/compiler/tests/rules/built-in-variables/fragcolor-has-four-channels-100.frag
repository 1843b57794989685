// ES 1.00, 7.2: gl_FragColor is a vec4.
#version 100
precision mediump float;
void main() {
    gl_FragColor = vec3(1.0); //~ error: the value is of type `vec3`; expected `vec4`
    gl_FragColor = 1.0; //~ error: the value is of type `float`; expected `vec4`
    gl_FragColor = vec4(1.0).xyz; //~ error: the value is of type `vec3`; expected `vec4`
}
