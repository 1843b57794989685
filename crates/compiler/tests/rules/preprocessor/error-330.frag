// GLSL 3.30, 3.3: `#error` is an error with its text.
#version 330
out vec4 color;
#error this shader needs more //~ error: #error this shader needs more

void main() {
    color = vec4(1.0);
}
