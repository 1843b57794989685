// ES 1.00, 8.3: There is no floatBitsToInt.
#version 100
precision mediump float;
void main() {
    int a = floatBitsToInt(1.0); //~ error
    float b = intBitsToFloat(1); //~ error
}
