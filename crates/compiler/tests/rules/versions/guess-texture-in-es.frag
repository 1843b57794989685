// ES, 1.00: Without `#version` a fetch by the name of later versions is a warning.
precision mediump float;
uniform sampler2D s;
varying vec2 uv;
void main() {
    gl_FragColor = texture(s, uv); //~ warning
}
