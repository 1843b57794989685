// ES 1.00, 5.4.2: Boolean vectors are cut and converted like others.
// value: 1 0 1 1
// set b = 1
#version 100
precision mediump float;
uniform bool b;

void main() {
    bvec4 v = bvec4(b, !b, b, !b);
    gl_FragColor = vec4(vec2(v), bvec3(v).z, ivec2(v).x);
}
