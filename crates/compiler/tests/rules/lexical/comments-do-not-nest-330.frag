// GLSL 3.30, 3.4: Comments do not nest: the first `*/` ends the comment.
#version 330
out vec4 color;
/* one /* two */ three */ //~ error: expected the name of a variable, found `*`

void main() {
    color = vec4(1.0);
}
