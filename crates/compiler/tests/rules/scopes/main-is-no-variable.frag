#version 300 es
// ES 3.00, 4.2.2: The name `main` is that of the function.
precision highp float;
out vec4 color;
void main() {
    color = vec4(1.0);
}
float main = 1.0; //~ error: `main` is declared twice in one scope
