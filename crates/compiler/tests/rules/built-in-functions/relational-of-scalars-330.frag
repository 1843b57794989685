// GLSL 3.30, 8.6: lessThan and the like take vectors.
#version 330
out vec4 color;
void main() {
    bool a = lessThan(1.0, 2.0); //~ error
    bool b = equal(1, 2); //~ error
    bvec2 c = lessThan(bvec2(true), bvec2(false)); //~ error
}
