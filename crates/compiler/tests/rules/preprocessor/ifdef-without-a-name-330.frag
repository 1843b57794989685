// GLSL 3.30, 3.3: `#ifdef` and `#ifndef` take one name.
#version 330
out vec4 color;
#ifdef //~ error
#endif
#ifndef //~ error
#endif
#ifdef 1 //~ error
#endif

void main() {
    color = vec4(1.0);
}
