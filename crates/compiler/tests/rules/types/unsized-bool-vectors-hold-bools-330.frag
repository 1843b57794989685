// GLSL 3.30, 4.1.5: The components of a bvec are bools.
#version 330
out vec4 color;
void main() {
    bvec2 a = bvec2(true, false);
    float b = a.x; //~ error
    a.x = 1.0; //~ error
}
