// GLSL 3.30, 6.4: What a function returns has its type.
#version 330
out vec4 color;
float f() {
    return vec2(1.0); //~ error
}
vec3 g() {
    return vec2(1.0); //~ error
}
bool h() {
    return 1.0; //~ error
}

void main() {
    color = vec4(1.0);
}
