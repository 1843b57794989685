// GLSL 3.30, 5.5: A number has no members.
#version 330
out vec4 color;
void main() {
    float a = 1.0;
    float b = a.x; //~ error
    float c = a.r; //~ error
    bool d = true;
    bool e = d.x; //~ error
}
