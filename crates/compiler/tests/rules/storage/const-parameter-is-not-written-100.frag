// ES 1.00, 4.4: A const parameter is not written.
#version 100
precision mediump float;
float f(const float a) {
    a = 2.0; //~ error: `a` is a `const` parameter, and cannot be written to
    return a;
}
float g(const in vec2 a) {
    a.x += 1.0; //~ error: `a` is a `const` parameter, and cannot be written to
    return a.x;
}

void main() {
    gl_FragColor = vec4(1.0);
}
