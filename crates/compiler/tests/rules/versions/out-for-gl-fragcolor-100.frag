// ES 1.00, 4.3: There are no own outputs: a shader writes gl_FragColor.
#version 100
precision mediump float;
out vec4 result; //~ error
void main() {
}
