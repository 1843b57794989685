// GLSL 1.10, 4.1.9: Arrays have no length().
#version 110
void main() {
    float a[3];
    a[0] = 1.0;
    int n = a.length(); //~ error: GLSL 1.10 has no methods
}
