// ES 1.00, 4.3.2: An array has no initial value, so none is constant.
#version 100
precision mediump float;
const float a[2]; //~ error: the constant `a` needs a value

void main() {
    gl_FragColor = vec4(1.0);
}
