// GLSL 1.40, 3.3: `GL_core_profile` is 1 from 1.50 on.
// value: 1 0 0 1
#version 140
out vec4 color;
void main() {
#ifdef GL_core_profile
    color = vec4(0.0);
#else
    color = vec4(1.0, 0.0, 0.0, 1.0);
#endif
}
