// GLSL 1.30, 4.3: There are no uniform blocks.
#version 130
out vec4 color;
uniform Block { //~ error: GLSL 1.30 has no blocks
    vec4 a;
};

void main() {
    color = vec4(1.0);
}
