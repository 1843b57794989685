// GLSL 1.10, 8.7: Fetches are texture2D, in later versions of GLSL too, though outdated there.
#version 110
uniform sampler2D s;

void main() {
    gl_FragColor = texture2D(s, vec2(0.5));
}
