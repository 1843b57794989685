// GLSL 3.30, 3.3: `#version` comes first; only comments and white space may come before it.
// value: 1 0 0 1

/* a comment */
   
# version   330 // a comment
out vec4 color;
void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
