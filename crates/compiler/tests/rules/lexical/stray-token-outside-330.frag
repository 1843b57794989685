// GLSL 3.30, 9: Between functions there are declarations only.
#version 330
out vec4 color;
1.0; //~ error: expected a type, found `1.0`
+ //~ error: expected a type, found `+`

void main() {
    color = vec4(1.0);
}
