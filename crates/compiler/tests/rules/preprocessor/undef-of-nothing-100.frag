// ES 1.00, 3.4: `#undef` of a name that is not defined has no effect.
// value: 1 0 0 1
#version 100
precision mediump float;
#undef NOT_DEFINED

void main() {
    gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0);
}
