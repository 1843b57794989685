// GLSL 3.30, 8.7: Fetches are texture2D, in later versions of GLSL too, though outdated there.
#version 330
out vec4 color;
uniform sampler2D s;

void main() {
    color = texture2D(s, vec2(0.5));
}
