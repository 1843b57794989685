// GLSL 3.30, 3.7: Only names that begin with `gl_` are reserved.
// value: 1 2 3 1
#version 330
out vec4 color;
void main() {
    float a_gl_ = 1.0, gl = 2.0, GL_x = 3.0;
    color = vec4(a_gl_, gl, GL_x, 1.0);
}
