// GLSL 1.30, 3.4: A comment that begins with `/*` must end.
#version 130
out vec4 color;
void main() {
    color = vec4(1.0);
    /* no end //~ error: this comment has no end
}
