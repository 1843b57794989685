// GLSL 3.30, 4.3.2: The initial value of a constant is a constant expression.
#version 330
out vec4 color;
uniform float u;
in float v;
const float a = u; //~ error
float f() { return 1.0; }
const float b = f(); //~ error
float g = 1.0;
const float c = g; //~ error

void main() {
    const float d = v + 1.0; //~ error
    const vec4 e = gl_FragCoord; //~ error
}
