// GLSL 3.30, 8.7: A function takes the sampler that it names.
#version 330
out vec4 color;
uniform sampler2D s;
float f(float a) { return a; }

void main() {
    color = vec4(f(s)); //~ error: no function `f` takes (sampler2D)
    color = texture(1.0, vec2(0.5)); //~ error: no function `texture` takes (float, vec2)
}
