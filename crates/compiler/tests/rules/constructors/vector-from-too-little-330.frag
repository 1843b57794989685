// GLSL 3.30, 5.4.2: A vector needs as many components as it has.
#version 330
out vec4 color;
void main() {
    vec3 a = vec3(1.0, 2.0); //~ error
    vec4 b = vec4(vec2(1.0)); //~ error
    vec4 c = vec4(vec2(1.0), 1.0); //~ error
    ivec3 d = ivec3(ivec2(1)); //~ error
}
