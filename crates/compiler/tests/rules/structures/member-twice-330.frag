// GLSL 3.30, 4.1.8: The members of a structure have different names.
#version 330
out vec4 color;
struct S {
    float a;
    int a; //~ error: there are two members `a`
    vec2 b, b; //~ error: there are two members `b`
};

void main() {
    color = vec4(1.0);
}
