// GLSL 1.50, 8.3: There is no floatBitsToInt.
#version 150
out vec4 color;
void main() {
    int a = floatBitsToInt(1.0); //~ error
    float b = intBitsToFloat(1); //~ error
}
