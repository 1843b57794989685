// GLSL 3.30, 8.6: lessThan and the like take vectors.
#version 330
out vec4 color;
void main() {
    bool a = lessThan(1.0, 2.0); //~ error: no function `lessThan` takes (float, float)
    bool b = equal(1, 2); //~ error: no function `equal` takes (int, int)
    bvec2 c = lessThan(bvec2(true), bvec2(false)); //~ error: no function `lessThan` takes (bvec2, bvec2)
}
