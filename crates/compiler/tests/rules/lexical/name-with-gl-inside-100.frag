// ES 1.00, 3.8: Only names that begin with `gl_` are reserved.
// value: 1 2 3 1
#version 100
precision mediump float;
void main() {
    float a_gl_ = 1.0, gl = 2.0, GL_x = 3.0;
    gl_FragColor = vec4(a_gl_, gl, GL_x, 1.0);
}
