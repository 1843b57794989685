// GLSL 3.30, 8.7: Later versions have these functions.
#version 330
out vec4 color;
uniform sampler2D s;

void main() {
    vec4 a = textureGather(s, vec2(0.5)); //~ error
    int b = textureQueryLevels(s); //~ error
}
