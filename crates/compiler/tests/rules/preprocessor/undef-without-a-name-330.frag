// GLSL 3.30, 3.3: `#undef` takes one name.
#version 330
out vec4 color;
#undef //~ error
#undef 1 //~ error

void main() {
    color = vec4(1.0);
}
