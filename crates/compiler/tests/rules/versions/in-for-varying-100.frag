// ES 1.00, 4.3: Values from the vertex shader are `varying`, not `in`.
#version 100
precision mediump float;
in vec2 uv; //~ error: GLSL ES 1.00 has no `in` here

void main() {
}
