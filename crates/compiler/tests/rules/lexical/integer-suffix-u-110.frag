// GLSL 1.10, 4.1.3: There are no unsigned integers, so a number has no suffix `u`.
#version 110
void main() {
    int a = 1u; //~ error: GLSL 1.10 has no numbers with `u`
}
