#version 300 es
// ES 3.00, 3.8: Upper and lower case are different.
precision highp float;
out vec4 color;
void main() {
    float value = 1.0;
    color = vec4(Value); //~ error: there is no variable `Value`
    Float b = 1.0; //~ error: there is no type `Float`
}
