// GLSL 3.30, 5.4.2: An argument of which no component is used is an error.
#version 330
out vec4 color;
void main() {
    vec2 a = vec2(1.0, 2.0, 3.0); //~ error: `vec2` is not made of (float, float, float)
    vec2 b = vec2(vec2(1.0), 2.0); //~ error: `vec2` is not made of (vec2, float)
    vec3 c = vec3(vec4(1.0), 1.0); //~ error: `vec3` is not made of (vec4, float)
    vec4 d = vec4(vec3(1.0), vec2(1.0), 1.0); //~ error: `vec4` is not made of (vec3, vec2, float)
}
