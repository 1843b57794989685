// ES 1.00, 3.4: An error is shown in the line of the file, whatever `#line` says.
#version 100
precision mediump float;
void main() {
#line 100
    float a = true; //~ error: the initial value is of type `bool`; expected `float`
}
