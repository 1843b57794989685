#version 300 es
// ES 3.00, 8.7: lessThan and the like take vectors.
precision highp float;
out vec4 color;
void main() {
    bool a = lessThan(1.0, 2.0); //~ error: no function `lessThan` takes (float, float)
    bool b = equal(1, 2); //~ error: no function `equal` takes (int, int)
    bvec2 c = lessThan(bvec2(true), bvec2(false)); //~ error: no function `lessThan` takes (bvec2, bvec2)
}
