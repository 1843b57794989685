// GLSL 3.30, 4.3: `inout` belongs to parameters.
#version 330
out vec4 color;
inout float a; //~ error: `inout` is not allowed on a variable of the shader

void main() {
    color = vec4(1.0);
}
