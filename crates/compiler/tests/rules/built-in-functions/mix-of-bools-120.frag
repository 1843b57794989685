// GLSL 1.20, 8.3: The last argument of mix is a float.
#version 120
uniform bool b;

void main() {
    vec2 v = mix(vec2(1.0, 2.0), vec2(3.0, 4.0), bvec2(b, !b)); //~ error: no function `mix` takes (vec2, vec2, bvec2)
}
