// GLSL 1.10, 3.3: `#version` comes first; only comments and white space may come before it.
// value: 1 0 0 1

/* a comment */
   
# version   110
void main() {
    gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0);
}
