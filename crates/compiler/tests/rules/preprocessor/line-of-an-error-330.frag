// GLSL 3.30, 3.3: An error is shown in the line of the file, whatever `#line` says.
#version 330
out vec4 color;
void main() {
#line 100
    float a = true; //~ error: the initial value is of type `bool`; expected `float`
}
