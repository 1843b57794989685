// GLSL, 1.10: Without `#version` a fetch by the name of later versions is a warning.
uniform sampler2D s;
varying vec2 uv;
void main() {
    gl_FragColor = texture(s, uv); //~ warning
}
