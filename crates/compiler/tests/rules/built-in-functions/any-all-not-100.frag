// ES 1.00, 8.6: any, all and not take vectors of bools.
// value: 1 0 1 1
// set b = 1
#version 100
precision mediump float;
uniform bool b;

void main() {
    bvec2 v = bvec2(b, !b);
    gl_FragColor = vec4(float(any(v)), float(all(v)), float(not(v).y), float(all(bvec3(b))));
}
