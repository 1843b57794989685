#version 300 es
// ES 3.00, 5.4.4: An array is made from as many elements as it has.
precision highp float;
out vec4 color;
void main() {
    float a[2] = float[2](1.0); //~ error: the constructor of `float[2]` takes 2 arguments; 1 is given
    float b[2] = float[2](1.0, 2.0, 3.0); //~ error: the constructor of `float[2]` takes 2 arguments; 3 are given
    float c[2] = float[2](vec2(1.0)); //~ error: the constructor of `float[2]` takes 2 arguments; 1 is given
    float d[3] = float[](1.0, 2.0); //~ error: the initial value is of type `float[2]`; expected `float[3]`
    float e[1] = float[](); //~ error: the constructor of `float[]` has no arguments
}
