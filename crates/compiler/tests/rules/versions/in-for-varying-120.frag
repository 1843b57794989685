// GLSL 1.20, 4.3: Values from the vertex shader are `varying`, not `in`.
#version 120
in vec2 uv; //~ error: GLSL 1.20 has no `in` here

void main() {
}
