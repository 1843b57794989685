#version 300 es
// ES 3.00, 8.8: Later versions have these functions.
precision highp float;
out vec4 color;
uniform sampler2D s;

void main() {
    vec4 a = textureGather(s, vec2(0.5)); //~ error
    int b = textureQueryLevels(s); //~ error
}
