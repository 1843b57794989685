#version 300 es
// ES 3.00, 6.4: What a function returns has its type.
precision highp float;
out vec4 color;
float f() {
    return vec2(1.0); //~ error: the result is of type `vec2`; expected `float`
}
vec3 g() {
    return vec2(1.0); //~ error: the result is of type `vec2`; expected `vec3`
}
bool h() {
    return 1.0; //~ error: the result is of type `float`; expected `bool`
}

void main() {
    color = vec4(1.0);
}
