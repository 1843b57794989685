// GLSL 3.30, 5.5: A component is one that the vector has.
#version 330
out vec4 color;
void main() {
    vec2 v = vec2(1.0);
    float a = v.z; //~ error
    vec2 b = v.xw; //~ error
    float c = v.b; //~ error
    v.p = 1.0; //~ error
}
