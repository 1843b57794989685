// GLSL 3.30, 3.3: `#ifdef` and `#ifndef` take one name.
#version 330
out vec4 color;
#ifdef //~ error: expected the name of a macro
#endif
#ifndef //~ error: expected the name of a macro
#endif
#ifdef 1 //~ error: expected the name of a macro
#endif

void main() {
    color = vec4(1.0);
}
