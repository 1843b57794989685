// GLSL 1.30, 3.7: Names with `gl_` are the language's own.
#version 130
out vec4 gl_FragColor; //~ error: `gl_FragColor` cannot be declared again

void main() {
    gl_FragColor = vec4(1.0);
}
