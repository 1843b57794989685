// ES 1.00, 3.8: A name begins with a letter or an underscore; digits may follow.
// value: 1 2 3 4
#version 100
precision mediump float;
void main() {
    float _a = 1.0, b2 = 2.0, c_3_ = 3.0, _4 = 4.0;
    gl_FragColor = vec4(_a, b2, c_3_, _4);
}
