#version 120
// A chess board with soft edges, as wide as its derivatives say.
uniform float squares;

void main() {
    vec2 p = gl_TexCoord[0].xy * squares;
    vec2 w = max(fwidth(p), 0.0001);
    vec2 i = 2.0 * (abs(fract((p - 0.5 * w) * 0.5) - 0.5) - abs(fract((p + 0.5 * w) * 0.5) - 0.5)) / w;
    gl_FragColor = vec4(vec3(0.5 - 0.5 * i.x * i.y), 1.0);
}
