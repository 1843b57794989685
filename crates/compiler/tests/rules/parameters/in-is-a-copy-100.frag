// ES 1.00, 4.4: A parameter without a word is `in`: the function gets a copy, which it may change.
// value: 1 6 0 1
// set u = 1
#version 100
precision mediump float;
uniform float u;
float f(float a) {
    a += 5.0;
    return a;
}

void main() {
    float a = u;
    float b = f(a);
    gl_FragColor = vec4(a, b, 0.0, 1.0);
}
