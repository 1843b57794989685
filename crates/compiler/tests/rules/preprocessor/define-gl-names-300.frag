#version 300 es
// ES 3.00, 3.4: Macros whose names begin with `GL_` are reserved.
precision highp float;
out vec4 color;
#define GL_SOMETHING 1 //~ error
#define GL_F(x) x //~ error

void main() {
    color = vec4(1.0);
}
