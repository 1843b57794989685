// GLSL 3.30, 3.3: `GL_compatibility_profile` is 1 in that profile only.
// value: 1 1 0 1
#version 330 compatibility
void main() {
#if defined(GL_compatibility_profile) && !defined(GL_core_profile)
    gl_FragColor = vec4(GL_compatibility_profile, 1.0, 0.0, 1.0);
#else
    gl_FragColor = vec4(0.0);
#endif
}
