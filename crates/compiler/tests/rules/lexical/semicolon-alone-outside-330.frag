// GLSL 3.30, 9: A semicolon alone is no declaration; drivers take it.
#version 330
out vec4 color;
; //~ warning: in GLSL 3.30 a `;` declares nothing; leave it out

void main() {
    color = vec4(1.0);
}
