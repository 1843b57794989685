// GLSL 3.30, 3.4: A comment counts as one space, so it cannot be within an operator.
#version 330
out vec4 color;
void main() {
    float a = 1.0;
    a +/**/= 1.0; //~ error: expected an expression, found `=`
}
