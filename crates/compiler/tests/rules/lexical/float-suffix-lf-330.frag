// GLSL 3.30, 4.1.4: There are no doubles, so there is no suffix lf.
#version 330
out vec4 color;
void main() {
    float a = 1.0lf; //~ error: type `double` is not supported
}
