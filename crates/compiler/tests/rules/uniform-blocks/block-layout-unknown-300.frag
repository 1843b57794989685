#version 300 es
// ES 3.00, 4.3.8.3: A layout is one of those of the language.
precision highp float;
out vec4 color;
layout(std141) uniform Block { //~ error: there is no layout `std141`
    vec4 a;
};
layout(foo) uniform Other { //~ error: there is no layout `foo`
    vec4 b;
};

void main() {
    color = vec4(1.0);
}
