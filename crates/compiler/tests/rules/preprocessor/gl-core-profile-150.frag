// GLSL 1.50, 3.3: `GL_core_profile` is 1 from 1.50 on.
// value: 1 0 0 1
#version 150
out vec4 color;
void main() {
#ifdef GL_core_profile
    color = vec4(GL_core_profile, 0.0, 0.0, 1.0);
#else
    color = vec4(0.0);
#endif
}
