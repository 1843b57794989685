// ES 1.00, 4.1.5: There are vectors of two to four floats, ints and bools.
// value: 4 3 1 3
#version 100
precision mediump float;
void main() {
    vec2 a = vec2(1.0, 2.0);
    vec3 b = vec3(1.0, 2.0, 3.0);
    vec4 c = vec4(1.0, 2.0, 3.0, 4.0);
    ivec2 d = ivec2(1, 2);
    ivec3 e = ivec3(1, 2, 3);
    ivec4 f = ivec4(1, 2, 3, 4);
    bvec2 g = bvec2(true, false);
    bvec3 h = bvec3(true, false, true);
    bvec4 i = bvec4(true, false, true, false);
    gl_FragColor = vec4(c.w, b.z, float(g.x && h.z && !i.w && d.y == 2 && f.w == 4), float(e.z));
}
