// ES 1.00, 3.4: Macros whose names begin with `GL_` are reserved.
#version 100
precision mediump float;
#define GL_SOMETHING 1 //~ error: macros whose names begin with `GL_` cannot be defined
#define GL_F(x) x //~ error: macros whose names begin with `GL_` cannot be defined

void main() {
    gl_FragColor = vec4(1.0);
}
