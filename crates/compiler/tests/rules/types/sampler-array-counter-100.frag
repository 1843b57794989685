// ES 1.00, A.5: An array of samplers may be indexed by the counter of a loop of a fixed length.
#version 100
precision mediump float;
uniform sampler2D s[3];

void main() {
    vec4 c = vec4(0.0);
    for (int i = 0; i < 3; i++) {
        c += texture2D(s[i], vec2(0.5));
    }
    gl_FragColor = c;
}
