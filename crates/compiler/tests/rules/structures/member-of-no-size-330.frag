// GLSL 3.30, 4.1.8: A member that is an array has a size.
#version 330
out vec4 color;
struct S {
    float a[]; //~ error: the member `a` needs a size
    float b;
};

void main() {
    color = vec4(1.0);
}
