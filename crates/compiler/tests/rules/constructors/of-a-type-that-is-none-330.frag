// GLSL 3.30, 5.4: A constructor has the name of a type.
#version 330
out vec4 color;
void main() {
    vec2 a = vec5(1.0); //~ error: there is no function `vec5`
    vec2 b = float2(1.0, 2.0); //~ error: there is no function `float2`
}
