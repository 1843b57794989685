// GLSL 3.30, 4.1.3: Letters other than a suffix cannot follow a number.
#version 330
out vec4 color;
void main() {
    int a = 12abc; //~ error: `12abc` is not a number
}
