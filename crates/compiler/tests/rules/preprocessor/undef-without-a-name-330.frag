// GLSL 3.30, 3.3: `#undef` takes one name.
#version 330
out vec4 color;
#undef //~ error: expected the name of a macro
#undef 1 //~ error: expected the name of a macro, found `1`

void main() {
    color = vec4(1.0);
}
