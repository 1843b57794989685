// ES 1.00, 8.4: cross takes two vec3.
#version 100
precision mediump float;
void main() {
    vec2 a = cross(vec2(1.0), vec2(1.0)); //~ error: no function `cross` takes (vec2, vec2)
    vec4 b = cross(vec4(1.0), vec4(1.0)); //~ error: no function `cross` takes (vec4, vec4)
}
