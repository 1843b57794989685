// ES 1.00, 3.7: A shader of ES 3.00 that says it is ES 1.00.
#version 100
precision mediump float;
in vec2 uv; //~ error: GLSL ES 1.00 has no `in` here
uniform sampler2D s;
out vec4 result; //~ error: GLSL ES 1.00 has no `out` here

void main() {
    result = texture(s, uv); //~ error: GLSL ES 1.00 has no function `texture` (it is in GLSL ES 3.00 and later and GLSL 1.30 and later)
}
