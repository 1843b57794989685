#version 300 es
// ES 3.00, 8.8: Fetches are `texture`: texture2D is gone.
precision highp float;
out vec4 color;
uniform sampler2D s;

void main() {
    color = texture2D(s, vec2(0.5)); //~ error: GLSL ES 3.00 has no function `texture2D` (it is in GLSL ES 1.00 and GLSL 1.10 to 4.10)
}
