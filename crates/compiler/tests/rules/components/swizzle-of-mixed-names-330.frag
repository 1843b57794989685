// GLSL 3.30, 5.5: The names of one swizzle come from one set.
#version 330
out vec4 color;
void main() {
    vec4 v = vec4(1.0);
    vec2 a = v.xg; //~ error: `xg` are no components
    vec2 b = v.rt; //~ error: `rt` are no components
    vec3 c = v.stz; //~ error: `stz` are no components
}
