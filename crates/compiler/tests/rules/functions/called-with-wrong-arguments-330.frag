// GLSL 3.30, 6.1: The arguments fit the parameters in number and type.
#version 330
out vec4 color;
float f(float a, vec2 b) { return a + b.x; }

void main() {
    float a = f(1.0); //~ error: no function `f` takes (float)
    float b = f(1.0, vec2(1.0), 1.0); //~ error: no function `f` takes (float, vec2, float)
    float c = f(vec2(1.0), 1.0); //~ error: no function `f` takes (vec2, float)
    float d = f(1.0, vec3(1.0)); //~ error: no function `f` takes (float, vec3)
    float e = f(); //~ error: no function `f` takes ()
    float g = f(true, vec2(1.0)); //~ error: no function `f` takes (bool, vec2)
}
