// ES, 1.00: Without `#version` a fetch by the name of later versions is a warning.
precision mediump float;
uniform sampler2D s;
varying vec2 uv;
void main() {
    gl_FragColor = texture(s, uv); //~ warning: `texture` is a function of GLSL ES 3.00 and later and GLSL 1.30 and later; without `#version` this source is taken for GLSL ES 1.00
}
