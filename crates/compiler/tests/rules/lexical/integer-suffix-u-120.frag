// GLSL 1.20, 4.1.3: There are no unsigned integers, so a number has no suffix `u`.
#version 120
void main() {
    int a = 1u; //~ error: GLSL 1.20 has no numbers with `u`
}
