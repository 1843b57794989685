// GLSL 3.30, 3.3: A shader has one `#version`.
#version 330
#version 330 //~ error: `#version` must be the first of the source
void main() {
}
