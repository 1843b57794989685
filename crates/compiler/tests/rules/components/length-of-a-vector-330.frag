// GLSL 3.30, 5.5: `length()` is for arrays.
#version 330
out vec4 color;
void main() {
    vec3 v = vec3(1.0);
    int n = v.length(); //~ error: `length()` is for arrays whose size is known, not for `vec3`
}
