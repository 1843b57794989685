// ES 1.00, 4.5.4: `GL_FRAGMENT_PRECISION_HIGH` is 1 where fragment shaders have highp floats, as here.
// value: 1 0 0 1
#version 100
precision mediump float;
void main() {
#ifdef GL_FRAGMENT_PRECISION_HIGH
    gl_FragColor = vec4(GL_FRAGMENT_PRECISION_HIGH, 0.0, 0.0, 1.0);
#else
    gl_FragColor = vec4(0.0);
#endif
}
