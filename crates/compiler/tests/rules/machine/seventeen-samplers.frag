// GLSL 1.20, 7.4: The machine has sixteen inputs.
#version 120
uniform sampler2D s[17]; //~ error: more than 16 samplers

void main() {
    vec4 sum = vec4(0.0);
    for (int i = 0; i < 17; i++) sum += texture2D(s[i], vec2(0.5));
    gl_FragColor = sum;
}
