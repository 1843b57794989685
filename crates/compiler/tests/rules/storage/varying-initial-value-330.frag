// GLSL 3.30, 4.3.4: An input has no initial value.
#version 330
out vec4 color;
in float v = 1.0; //~ error: an input has no initial value

void main() {
    color = vec4(1.0);
}
