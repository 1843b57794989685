// GLSL 3.30, 4.3.7: The members of a block without an instance name are global names, each declared once.
#version 330
out vec4 color;
uniform Block {
    vec4 a;
};
uniform Other {
    vec4 a; //~ error: `a` is declared twice in one scope
};
float b = 1.0;
uniform Third {
    vec4 b; //~ error: `b` is declared twice in one scope
};

void main() {
    color = vec4(1.0);
}
