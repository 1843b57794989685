// GLSL 3.30, 4.3.4: An input of integers is not interpolated: it is `flat`.
#version 330
out vec4 color;
in int a; //~ error
in ivec3 b; //~ error
in uint c; //~ error
flat in int ok;

void main() {
    color = vec4(1.0);
}
