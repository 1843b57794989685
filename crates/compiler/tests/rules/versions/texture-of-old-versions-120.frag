// GLSL 1.20, 8.7: Fetches are texture2D, not texture.
#version 120
uniform sampler2D s;

void main() {
    gl_FragColor = texture(s, vec2(0.5)); //~ error: GLSL 1.20 has no function `texture` (it is in GLSL ES 3.00 and later and GLSL 1.30 and later)
}
