#version 300 es
// ES 3.00, 4.5.5: `GL_FRAGMENT_PRECISION_HIGH` is 1 where fragment shaders have highp floats, as here.
// value: 1 0 0 1
precision highp float;
out vec4 color;
void main() {
#ifdef GL_FRAGMENT_PRECISION_HIGH
    color = vec4(GL_FRAGMENT_PRECISION_HIGH, 0.0, 0.0, 1.0);
#else
    color = vec4(0.0);
#endif
}
