// GLSL 3.30, 4.3.3: Built-in functions of vectors give constants.
// value: 1 0 1 -1
#version 330
out vec4 color;
const vec3 a = cross(vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0));
const bvec2 b = lessThan(vec2(1.0, 2.0), vec2(2.0, 1.0));
const bool c = any(b);
const vec2 d = sign(vec2(-3.0, 3.0));

void main() {
    color = vec4(a.z, float(b.y), float(c), d.x);
}
