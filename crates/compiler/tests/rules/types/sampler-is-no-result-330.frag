// GLSL 3.30, 4.1.7: A function returns no sampler.
#version 330
out vec4 color;
uniform sampler2D s;
sampler2D f() { //~ error: a function cannot have a sampler as its result
    return s;
}

void main() {
    color = vec4(1.0);
}
