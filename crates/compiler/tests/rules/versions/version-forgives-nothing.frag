// GLSL 1.10, 4.1.10: With `#version` what the version does not have is an error.
#version 110
uniform int n;
uniform sampler2D s;

void main() {
    float a = 1; //~ error
    float b = n * 0.5; //~ error
    float c = 1.5f; //~ error
    vec4 d = texture(s, vec2(0.5)); //~ error
    float e = round(1.5); //~ error
    int f = n % 5; //~ error
}
