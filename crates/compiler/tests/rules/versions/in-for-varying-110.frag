// GLSL 1.10, 4.3: Values from the vertex shader are `varying`, not `in`.
#version 110
in vec2 uv; //~ error: GLSL 1.10 has no `in` here

void main() {
}
