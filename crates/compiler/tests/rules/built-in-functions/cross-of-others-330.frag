// GLSL 3.30, 8.4: cross takes two vec3.
#version 330
out vec4 color;
void main() {
    vec2 a = cross(vec2(1.0), vec2(1.0)); //~ error: no function `cross` takes (vec2, vec2)
    vec4 b = cross(vec4(1.0), vec4(1.0)); //~ error: no function `cross` takes (vec4, vec4)
}
