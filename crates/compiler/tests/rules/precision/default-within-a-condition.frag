// ES 1.00, 4.5.3: A default may depend on a condition of the preprocessor.
// value: 1 0 0 1
#version 100
#ifdef GL_FRAGMENT_PRECISION_HIGH
precision highp float;
#else
precision mediump float;
#endif

void main() {
    float a = 1.0;
    gl_FragColor = vec4(a, 0.0, 0.0, 1.0);
}
