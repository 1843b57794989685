// GLSL 1.20, 8.7: texture2DLod belongs to vertex shaders.
#version 120
uniform sampler2D s;

void main() {
    gl_FragColor = texture2DLod(s, vec2(0.5), 0.0); //~ error
}
