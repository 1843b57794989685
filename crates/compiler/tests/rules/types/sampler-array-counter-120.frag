// GLSL 1.20, 4.1.7: An array of samplers may be indexed by the counter of a loop of a fixed length.
#version 120
uniform sampler2D s[3];

void main() {
    vec4 c = vec4(0.0);
    for (int i = 0; i < 3; i++) {
        c += texture2D(s[i], vec2(0.5));
    }
    gl_FragColor = c;
}
