#version 300 es
// ES 3.00, 8.7: lessThan and the like take vectors.
precision highp float;
out vec4 color;
void main() {
    bool a = lessThan(1.0, 2.0); //~ error
    bool b = equal(1, 2); //~ error
    bvec2 c = lessThan(bvec2(true), bvec2(false)); //~ error
}
