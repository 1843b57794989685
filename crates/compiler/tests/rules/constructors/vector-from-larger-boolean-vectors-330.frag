// GLSL 3.30, 5.4.2: Boolean vectors are cut and converted like others.
// value: 1 0 1 1
// set b = 1
#version 330
out vec4 color;
uniform bool b;

void main() {
    bvec4 v = bvec4(b, !b, b, !b);
    color = vec4(vec2(v), bvec3(v).z, ivec2(v).x);
}
