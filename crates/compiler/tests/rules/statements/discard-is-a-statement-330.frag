// GLSL 3.30, 6.4: `discard` is no value and no call.
#version 330
out vec4 color;
void main() {
    float a = discard; //~ error: expected an expression, found `discard`
    discard(); //~ error: expected `;` after `discard`, found `(`
}
