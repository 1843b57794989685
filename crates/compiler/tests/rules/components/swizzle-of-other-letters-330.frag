// GLSL 3.30, 5.5: A component has one of the letters.
#version 330
out vec4 color;
void main() {
    vec4 v = vec4(1.0);
    float a = v.m; //~ error
    float b = v.u; //~ error
    vec2 c = v.uv; //~ error
    float d = v.X; //~ error
    float e = v.color; //~ error
}
