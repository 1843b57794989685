// ES 1.00, 6.4: `discard` ends a point without a result.
#version 100
precision mediump float;
uniform float u;
void f() {
    if (u > 1.0) discard;
}

void main() {
    f();
    if (u > 0.5) {
        discard;
    }
    gl_FragColor = vec4(1.0);
}
