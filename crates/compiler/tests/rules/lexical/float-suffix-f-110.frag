// GLSL 1.10, 4.1.4: A float has no suffix here.
#version 110
void main() {
    float a = 1.5f; //~ error: GLSL 1.10 has no numbers with `f`
}
