#version 300 es
// ES 3.00, 3.7: A shader of ES 1.00 that says it is ES 3.00.
precision highp float;
out vec4 color;
varying vec2 uv; //~ error: `varying` is a keyword of GLSL 1.10 and GLSL ES 1.00, not of GLSL ES 3.00
uniform sampler2D s;

void main() {
    gl_FragColor = texture2D(s, uv); //~ error: GLSL ES 3.00 has no `gl_FragColor` (it is in GLSL ES 1.00 and GLSL 1.10 to 4.10)
}
