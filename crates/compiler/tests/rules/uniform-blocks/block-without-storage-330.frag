// GLSL 3.30, 4.3.7: A block says what it is: `uniform`.
#version 330
out vec4 color;
Block { //~ error: expected the name of a variable, found `{`
    vec4 a;
};

void main() {
    color = vec4(1.0);
}
