// GLSL 3.30, 4.1.7: A sampler may be given to a function.
#version 330
out vec4 color;
uniform sampler2D s;
vec4 f(sampler2D t, vec2 p) { return texture(t, p); }
vec4 g(sampler2D t) { return f(t, vec2(0.5)); }

void main() {
    color = g(s);
}
