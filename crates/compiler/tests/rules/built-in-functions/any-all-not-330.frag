// GLSL 3.30, 8.6: any, all and not take vectors of bools.
// value: 1 0 1 1
// set b = 1
#version 330
out vec4 color;
uniform bool b;

void main() {
    bvec2 v = bvec2(b, !b);
    color = vec4(float(any(v)), float(all(v)), float(not(v).y), float(all(bvec3(b))));
}
