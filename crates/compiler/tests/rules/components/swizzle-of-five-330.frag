// GLSL 3.30, 5.5: A swizzle has at most four components.
#version 330
out vec4 color;
void main() {
    vec4 v = vec4(1.0);
    vec4 a = v.xyzwx; //~ error
    float b = v.xxxxx.x; //~ error
}
