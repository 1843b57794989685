// GLSL 3.30, 4.3.7: There are no buffer blocks.
#version 330
out vec4 color;
buffer Block { //~ error: expected `;` after a declaration, found `{`
    vec4 a;
};

void main() {
    color = vec4(1.0);
}
