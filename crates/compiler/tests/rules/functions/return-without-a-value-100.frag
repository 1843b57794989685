// ES 1.00, 6.4: A function with a result returns a value.
#version 100
precision mediump float;
float f() {
    return; //~ error
}

void main() {
    gl_FragColor = vec4(1.0);
}
