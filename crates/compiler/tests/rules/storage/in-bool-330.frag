// GLSL 3.30, 4.3.4: An input is not bool.
#version 330
out vec4 color;
in bool a; //~ error: an input cannot be of type `bool`
flat in bvec2 b; //~ error: an input cannot be of type `bvec2`

void main() {
    color = vec4(1.0);
}
