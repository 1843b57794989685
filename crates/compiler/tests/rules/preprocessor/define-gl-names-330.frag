// GLSL 3.30, 3.3: Macros whose names begin with `GL_` are reserved.
#version 330
out vec4 color;
#define GL_SOMETHING 1 //~ error: macros whose names begin with `GL_` cannot be defined
#define GL_F(x) x //~ error: macros whose names begin with `GL_` cannot be defined

void main() {
    color = vec4(1.0);
}
