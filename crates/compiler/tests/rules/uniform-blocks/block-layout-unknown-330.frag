// GLSL 3.30, 4.3.8.3: A layout is one of those of the language.
#version 330
out vec4 color;
layout(std141) uniform Block { //~ error
    vec4 a;
};
layout(foo) uniform Other { //~ error
    vec4 b;
};

void main() {
    color = vec4(1.0);
}
