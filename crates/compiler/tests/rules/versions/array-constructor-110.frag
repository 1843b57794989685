// GLSL 1.10, 5.4: There are no constructors of arrays.
#version 110
void main() {
    float a[2] = float[2](1.0, 2.0); //~ error: GLSL 1.10 has no initial values of arrays
}
