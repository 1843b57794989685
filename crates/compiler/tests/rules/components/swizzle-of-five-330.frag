// GLSL 3.30, 5.5: A swizzle has at most four components.
#version 330
out vec4 color;
void main() {
    vec4 v = vec4(1.0);
    vec4 a = v.xyzwx; //~ error: `xyzwx` are 5 components; a vector has at most 4
    float b = v.xxxxx.x; //~ error: `xxxxx` are 5 components; a vector has at most 4
}
