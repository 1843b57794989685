// ES 1.00, 4.1.7: A function returns no sampler.
#version 100
precision mediump float;
uniform sampler2D s;
sampler2D f() { //~ error
    return s;
}

void main() {
    gl_FragColor = vec4(1.0);
}
