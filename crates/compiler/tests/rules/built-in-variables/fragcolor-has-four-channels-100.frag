// ES 1.00, 7.2: gl_FragColor is a vec4.
#version 100
precision mediump float;
void main() {
    gl_FragColor = vec3(1.0); //~ error
    gl_FragColor = 1.0; //~ error
    gl_FragColor = vec4(1.0).xyz; //~ error
}
