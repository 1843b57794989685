// ES 1.00, 5.4.2: A vector needs as many components as it has.
#version 100
precision mediump float;
void main() {
    vec3 a = vec3(1.0, 2.0); //~ error: `vec3` is not made of (float, float)
    vec4 b = vec4(vec2(1.0)); //~ error: `vec4` is not made of (vec2)
    vec4 c = vec4(vec2(1.0), 1.0); //~ error: `vec4` is not made of (vec2, float)
    ivec3 d = ivec3(ivec2(1)); //~ error: `ivec3` is not made of (ivec2)
}
