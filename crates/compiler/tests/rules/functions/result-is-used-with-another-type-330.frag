// GLSL 3.30, 6.1: A call has the type of the function's result.
#version 330
out vec4 color;
vec2 f() { return vec2(1.0); }

void main() {
    float a = f(); //~ error: the initial value is of type `vec2`; expected `float`
    vec3 b = f() + vec3(1.0); //~ error: `+` does not take `vec2` and `vec3`
}
